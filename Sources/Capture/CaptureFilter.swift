/// Why a filter cannot be used; libpcap's words.
package enum CaptureFilterError: Error, Hashable, Sendable {
  /// No link layer makes sense of the expression.
  case wrongExpression(String, why: String)
  /// libpcap cannot filter frames of this link layer by that expression.
  case linkType(UInt32, expression: String, why: String)
  /// There is no libpcap in this build.
  case notBuiltIn
}

extension CaptureFilterError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .wrongExpression(let expression, let why): "the filter '\(expression)' is wrong: \(why)"
    case .linkType(let number, let expression, let why):
      "libpcap cannot filter link type \(number) (\(LinkType.name(number))) by '\(expression)': \(why)"
    case .notBuiltIn: "a filter needs libpcap, which is not built in: the trait Pcap of the package Rollcall is off"
    }
  }
}

/// A filter in the language of pcap-filter, such as `host 10.0.0.7 and udp port 1900`.
///
/// Only the words are kept; `CapturePrograms` compiles them for each link layer that it meets.
package struct CaptureFilter: Hashable, Sendable {
  package let expression: String

  /// Checks the expression against the link layers that people have. Whether it fits those of a file, the file shows.
  package init(_ expression: String) throws(CaptureFilterError) {
    self.expression = expression
    var firstFailure: CaptureFilterError?
    for linkType in [LinkType.ethernet, LinkType.linuxCooked, LinkType.radiotap, LinkType.raw] {
      do throws(CaptureFilterError) {
        _ = try BPFProgram(expression, linkType: linkType, isSwapped: false)
        return
      } catch {
        firstFailure = firstFailure ?? error
      }
    }
    switch firstFailure {
    case .linkType(_, _, let why)?: throw .wrongExpression(expression, why: why)
    case let failure?: throw failure
    case nil: return
    }
  }
}

/// The programs of one filter: compiled once for each link layer, run on our frames.
package final class CapturePrograms {
  package let filter: CaptureFilter
  // A file has few link layers, and the last one is nearly always the next.
  private var programs: [(linkType: UInt32, isSwapped: Bool, program: BPFProgram)] = []
  private var last = 0

  package init(_ filter: CaptureFilter) { self.filter = filter }

  /// Whether the filter lets this frame through.
  package func accepts(_ frame: CaptureFrame) throws(CaptureFilterError) -> Bool {
    if last >= programs.count || !isFor(frame, programs[last]) {
      if let known = programs.firstIndex(where: { isFor(frame, $0) }) {
        last = known
      } else {
        let program = try BPFProgram(filter.expression, linkType: frame.linkType, isSwapped: frame.isSwapped)
        last = programs.count
        programs.append((frame.linkType, frame.isSwapped, program))
      }
    }
    return programs[last].program.accepts(frame)
  }
}

extension CapturePrograms {
  private func isFor(_ frame: CaptureFrame, _ entry: (linkType: UInt32, isSwapped: Bool, program: BPFProgram)) -> Bool {
    entry.linkType == frame.linkType && entry.isSwapped == frame.isSwapped
  }
}
