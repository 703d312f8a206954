/// Damage inside a capture file: reading ends there, and everything before it is kept.
package struct CaptureProblem: Error, Hashable, Sendable {
  package enum What: String, Hashable, Sendable, CaseIterable {
    /// The file ends inside a frame's header or bytes.
    case cutShort
    /// A length that no frame can have.
    case wildLength
    /// A pcapng block whose two lengths differ, or whose content does not fit.
    case brokenBlock
    /// A frame of an interface that the file never described.
    case unknownInterface
    /// A section that is damaged, or of a version nobody knows.
    case brokenSection
    /// More interfaces than `CaptureReader.interfaceCountMaximum`.
    case tooManyInterfaces
    /// The gzip stream around the file is damaged or cut short; the offset is that of the packed file.
    case brokenGzip
    /// The source of the bytes failed.
    case readFailure
  }

  package var what: What
  /// Of the record or block that is damaged, from the start of the file; in a gzip file, from the start of what was
  /// packed into it.
  package var byteOffset: Int
  /// The number that the damaged frame would have had.
  package var frame: Int
  /// The number that was found wrong, where one was.
  package var value: Int?

  package init(_ what: What, byteOffset: Int, frame: Int, value: Int? = nil) {
    (self.what, self.byteOffset, self.frame, self.value) = (what, byteOffset, frame, value)
  }
}

extension CaptureProblem: CustomStringConvertible {
  package var description: String {
    let found =
      switch what {
      case .cutShort: "the file ends inside frame \(frame)"
      case .wildLength: "frame \(frame) claims \(value ?? 0) bytes, which no frame can have"
      case .brokenBlock: "a damaged block stands where frame \(frame) should be"
      case .unknownInterface: "frame \(frame) is of interface \(value ?? 0), which the file does not describe"
      case .brokenSection: "a section before frame \(frame) is damaged or of an unknown version"
      case .tooManyInterfaces: "the file describes more than \(CaptureReader.interfaceCountMaximum) interfaces"
      case .brokenGzip: "the gzip stream is damaged or cut short after frame \(frame - 1)"
      case .readFailure: "the file cannot be read any further at frame \(frame)"
      }
    return found + " (byte \(byteOffset))"
  }
}

/// Why there is nothing to read at all.
package enum CaptureError: Error, Hashable, Sendable {
  /// The file cannot be opened or read; the system's words.
  case unreadable(String)
  /// The bytes are no pcap and no pcapng file; what they are instead.
  case notCapture(String)
  /// A capture file, but without a single whole frame; with the damage, if that is why.
  case noFrame(CaptureProblem?)
}

extension CaptureError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreadable(let why): "cannot be read: \(why)"
    case .notCapture(let why): "not a pcap or pcapng capture: \(why)"
    case .noFrame(nil): "the capture holds no frame"
    case .noFrame(let problem?): "the capture holds no whole frame: \(problem)"
    }
  }
}
