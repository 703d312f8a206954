import Foundation
import RollcallWire

/// Descriptions of real devices, read beside expat, and documents that are made to hurt.
enum DescriptionBenchmark {
  static func run(_ options: Options, _ report: Report) -> UInt64 {
    Proof.fold(compare(options, report), attack(options, report))
  }

  // MARK: Real documents

  private static func compare(_ options: Options, _ report: Report) -> UInt64 {
    let documents = files()
    if documents.isEmpty {
      report.note("descriptions: left out beside expat: ROLLCALL_CAPTURES names no folder with descriptions")
      return 0
    }
    let anchor: XMLAnchor
    switch XMLAnchor.open() {
    case .success(let opened): anchor = opened
    case .failure(let absence):
      report.note("descriptions: left out beside expat: \(absence.text)")
      return 0
    }
    // Both have to take a document and find the same in it.
    let shared = documents.filter { anchor.read($0, repeats: 1) != 0 && events($0) == anchor.read($0, repeats: 1) }
    let byteCount = shared.reduce(0) { $0 + $1.count }
    report.note(
      "descriptions: \(shared.count) of \(documents.count) files, \(byteCount) bytes, those that both read; a parser of "
        + "its own for each, every text is kept as a string until the end")
    let repeats = options.size(200, smoke: 1)
    let count = repeats * shared.count
    let contest = Contest(
      [
        Contender("events", operations: count) { fold(shared, repeats) { events($0) } },
        Contender("values", operations: count) { fold(shared, repeats) { value($0) } },
        Contender("expat", operations: count) { shared.reduce(0) { $0 &+ anchor.read($1, repeats: UInt64(repeats)) } },
      ], passes: options.passes())
    for (index, name) in ["a description, its XML", "a description, as a value"].enumerated() {
      report.add(
        Figure(
          name: name, value: contest.median(index) / 1_000, unit: "us", anchor: ("expat", contest.median(2) / 1_000),
          ratio: contest.ratio(index, to: 2), target: .atMost(1.5)))
    }
    return contest.proof
  }

  private static func files() -> [[UInt8]] {
    let named = ProcessInfo.processInfo.environment["ROLLCALL_CAPTURES"] ?? ""
    let folder = URL(filePath: named.isEmpty ? "../shared/captures" : named).appending(path: "descriptions")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().filter { $0.hasSuffix(".xml") }
      .compactMap { try? Array(Data(contentsOf: folder.appending(path: $0))) }
  }

  private static func fold(_ documents: [[UInt8]], _ repeats: Int, _ read: ([UInt8]) -> UInt64) -> UInt64 {
    var sum: UInt64 = 0
    for document in documents { for _ in 0..<repeats { sum &+= read(document) } }
    return sum
  }

  /// Elements, attributes and bytes of text, as the anchor counts them; 0 where the document is refused.
  private static func events(_ document: [UInt8]) -> UInt64 {
    document.withUnsafeBytes { bytes in
      XMLReader.withReader(of: bytes) { reader in
        var texts: [String] = []
        var (elements, attributes, textBytes) = (0, 0, 0)
        do throws(XMLFault) {
          while true {
            switch try reader.next() {
            case .start:
              elements += 1
              attributes += reader.attributes.count
            case .text:
              let text = reader.text
              textBytes += text.utf8.count
              texts.append(text)
            case .end: break
            case .finished: return UInt64(elements << 40 | attributes << 24 | textBytes)
            }
          }
        } catch { return 0 }
      }
    }
  }

  private static func value(_ document: [UInt8]) -> UInt64 {
    guard let reading = try? DescriptionReader.read(document, mode: .lenient) else { return 0 }
    return UInt64(reading.document.root.friendlyName.utf8.count &+ reading.document.root.services.count)
  }

  // MARK: Attacks

  /// Beside the time that each takes, how much more memory the process ever has than before.
  private static func attack(_ options: Options, _ report: Report) -> UInt64 {
    report.note(
      "descriptions: documents that are made to hurt; memory as the system counts it, the document not included")
    var proof: UInt64 = 0
    for attack in XMLAttack.all {
      let document = options.isSmoke ? Array(attack.document.prefix(100)) : attack.document
      var outcome = ""
      let before = ResidentMemory.restartPeak()
      let began = ProcessClock.now()
      do throws(DescriptionFault) { _ = try DescriptionReader.read(document, mode: .lenient) } catch {
        outcome = error.reason.rawValue
      }
      let elapsed = ProcessClock.now() - began
      proof = Proof.fold(proof, UInt64(outcome.utf8.count))
      report.add(
        Figure(
          name: "\(attack.name): \(outcome)", value: Double(elapsed) / 1e6, unit: "ms", target: .atMost(50)))
      if let before, let peak = ResidentMemory.peak {
        report.add(
          Figure(
            name: "  its memory", value: Double(max(0, peak - before)) / 1_048_576, unit: "MB", target: .atMost(16)))
      }
    }
    return proof
  }
}

/// Documents that make other parsers use time or memory, or open files.
struct XMLAttack {
  var name: String
  var document: [UInt8]

  static var all: [XMLAttack] {
    func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }
    func attributes(_ count: Int) -> String { "<root" + (0..<count).map { " a\($0)=''" }.joined() + "/>" }
    func laughs(_ levels: Int) -> String {
      let entities: [String] = (1...levels).map { "<!ENTITY l\($0) \"\(times(10, "&l\($0 - 1);"))\">" }
      return "<!DOCTYPE l [<!ENTITY l0 \"lol\">" + entities.joined() + "]><root>&l\(levels);</root>"
    }
    let quadratic = "<!DOCTYPE a [<!ENTITY x \"\(times(50_000, "x"))\">]><root>\(times(20_000, "&x;"))</root>"
    let root = "<root xmlns='urn:schemas-upnp-org:device-1-0'>"
    let documents = [
      ("a thousand laughs", laughs(3)), ("100 000 laughs", laughs(5)), ("billion laughs", laughs(9)),
      ("quadratic entity", quadratic),
      ("external entity", "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><root>&x;</root>"),
      ("external type", "<!DOCTYPE a SYSTEM \"http://127.0.0.1:9/a.dtd\"><root/>"),
      (
        "external parameter entity", "<!DOCTYPE a [<!ENTITY % x SYSTEM \"http://127.0.0.1:9/a.dtd\"> %x;]><root/>"
      ),
      ("200 000 deep", times(200_000, "<root>")), ("100 000 deep", times(100_000, "<root>")),
      ("5 000 attributes", attributes(5_000)), ("20 000 attributes", attributes(20_000)),
      ("200 000 attributes", attributes(200_000)), ("20 MB of text", root + times(20_000_000, "x")),
      // A megabyte each that is read to its end, or nearly.
      ("elements of 64 attributes", root + times(1_700, "<a" + (0..<64).map { " a\($0)=''" }.joined() + "/>")),
      (
        "64 namespaces and prefixes",
        times(1, root.dropLast() + (0..<62).map { " xmlns:n\($0)='u\($0)'" }.joined() + ">")
          + times(12_000, "<n0:a n0:b='' n0:c=''/>")
      ),
      ("a megabyte of ampersands", root + times(15, "<a>" + times(65_000, "&") + "</a>")),
      ("a megabyte of references", root + times(16, "<a>" + times(13_000, "&#65;") + "</a>")),
      ("a megabyte of comments", root + times(120_000, "<!-- -->")),
      ("a megabyte of line ends", root + times(15, "<a>" + times(65_000, "\r") + "</a>")),
    ]
    return documents.map { XMLAttack(name: $0.0, document: Array($0.1.utf8)) }
  }
}

/// `Tools/anchors/expat.c`.
struct XMLAnchor {
  private typealias Read = @convention(c) (UnsafePointer<UInt8>?, Int, UInt64) -> UInt64
  private let body: Read

  static func open() -> Result<XMLAnchor, AnchorAbsence> {
    AnchorInC.function("rollcall_anchor_xml", in: "expat.c", linking: ["expat"]).map {
      XMLAnchor(body: unsafeBitCast($0, to: Read.self))
    }
  }

  func read(_ document: [UInt8], repeats: UInt64) -> UInt64 {
    document.withUnsafeBufferPointer { body($0.baseAddress, $0.count, repeats) }
  }
}
