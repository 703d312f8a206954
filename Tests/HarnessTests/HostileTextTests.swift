import RollcallCapture
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import Testing
import RollcallWire

/// What comes from a network, a file or a file's name never reaches a person's terminal raw.
@Suite("Hostile text", .withTool) struct HostileTextTests {
  /// Controls but the line end, marks of direction, separators, and what cannot be seen; the list of the test's own.
  static let hidden: [Unicode.Scalar] =
    ([
      0...9, 11...31, 0x7F...0x9F, 0xAD...0xAD, 0x61C...0x61C, 0x180E...0x180E, 0x200B...0x200F, 0x2028...0x202E,
      0x2060...0x206F, 0xFEFF...0xFEFF, 0xFFF9...0xFFFB, 0xE0001...0xE0001, 0xE0020...0xE0021,
    ] as [ClosedRange<UInt32>])
    .flatMap { $0.compactMap(Unicode.Scalar.init) }
  /// All but NUL, which ends the words of a command line.
  static let all = String(String.UnicodeScalarView(hidden.dropFirst()))
  /// What a terminal, an editor or a reader of YAML would act upon, in one word; a path can hold it.
  static let word = "a\u{1B}]0;b\u{7}\u{1B}[2J\u{9B}31m\u{202E}c\u{2028}d\u{85}e\u{2066}f\u{7F}g\u{200B}h\r"

  /// Says what is wrong with bytes that a person sees; `nil`: nothing.
  static func problem(_ bytes: [UInt8]) -> String? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return "no UTF-8" }
    let scalars = text.unicodeScalars
    let place = scalars.firstIndex { scalar in
      // Nearly all is plain: the list is gone through for the rest only.
      !(0x20..<0x7F).contains(scalar.value) && scalar != "\n" && hidden.contains(scalar)
    }
    guard let place else { return nil }
    return "\(String(scalars[place].value, radix: 16)) behind \(String(text[..<place].suffix(60)))"
  }

  /// Messages of every kind, each of whose fields has one odd text in turn.
  /// - Parameter cutsAll: at all three places of a field; else at one of them, another for each number and field.
  private static func messages(_ odd: [UInt8], _ number: Int, cutsAll: Bool) -> [[UInt8]] {
    let uuid = "2fac1234-31f8-11b4-a222-\(String(100_000_000_000 + number))"
    let alive = [
      "NOTIFY * HTTP/1.1", "HOST: 239.255.255.250:1900", "CACHE-CONTROL: max-age=1800",
      "LOCATION: http://192.168.1.20/d.xml", "NT: upnp:rootdevice", "NTS: ssdp:alive",
      "SERVER: Linux/6.1 UPnP/1.1 odd/1", "USN: uuid:\(uuid)::upnp:rootdevice", "BOOTID.UPNP.ORG: 1",
      "CONFIGID.UPNP.ORG: 1", "SEARCHPORT.UPNP.ORG: 50000", "X-ODD: odd",
    ]
    let byebye =
      alive.filter { $0.hasPrefix("NOT") || $0.hasPrefix("HOST") || $0.hasPrefix("USN") } + [
        "NT: upnp:rootdevice", "NTS: ssdp:byebye",
      ]
    let search = [
      "M-SEARCH * HTTP/1.1", "HOST: 239.255.255.250:1900", "MAN: \"ssdp:discover\"", "MX: 1", "ST: ssdp:all",
      "USER-AGENT: Linux/6.1 UPnP/1.1 odd/1", "CPFN.UPNP.ORG: odd", "CPUUID.UPNP.ORG: \(uuid)",
      "TCPPORT.UPNP.ORG: 50000",
    ]
    var messages: [[UInt8]] = []
    for lines in [alive, byebye, search] {
      for place in lines.indices {
        // In the middle of the value, at its end, and in the name; a change of the start line, too.
        let cuts = [lines[place].utf8.count, lines[place].utf8.count - 1, 2]
        for cut in cutsAll ? cuts : [cuts[(number + place) % 3]] {
          var bytes: [UInt8] = []
          for (index, line) in lines.enumerated() {
            let text = Array(line.utf8)
            bytes += index == place ? text[..<cut] + odd + text[cut...] : text[...]
            bytes += [13, 10]
          }
          messages.append(bytes + [13, 10])
        }
      }
    }
    return messages
  }

  /// A capture whose every field, name and comment has every one of them in it.
  private static func capture(_ odd: [[UInt8]]) -> [UInt8] {
    var section = CaptureSection()
    section.application = "odd \(word)"
    section.comments = ["odd \(word)"]
    var writer = CaptureWriter(section: section)
    _ = writer.interface(name: "odd\(word)", details: word, comments: [word])
    writer.names([CaptureName(address: IPAddress(192, 168, 1, 20), name: "tv\(word)")])
    var time = Instant.zero + .seconds(1_000)
    for (number, text) in odd.enumerated() {
      for (index, message) in messages(text, number, cutsAll: odd.count < 5).enumerated() {
        let last = UInt8(20 + index % 7)
        let (source, group) = (
          Endpoint(IPAddress(192, 168, 1, last), port: 1900), Endpoint(IPAddress(239, 255, 255, 250), port: 1900)
        )
        guard let link = LinkAddresses(source: MACAddress(bits: 0x0200_0000_0000 | UInt64(last)), group: group.address)
        else { continue }
        for frame in FrameWriter.udp(
          link, from: source, to: group, hopLimit: 2, payload: message, identification: UInt32(index))
        {
          writer.frame(interface: 0, time: time, frame, comments: index == 0 ? [word] : [])
        }
        time += .milliseconds(3)
      }
    }
    writer.finish()
    return writer.bytes
  }

  /// As YAML has it between quotation marks.
  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      scalar.isASCII && scalar.value >= 0x20 && scalar.value < 0x7F
        ? String(scalar) : "\\U" + PlainText.padded(scalar.value, 8)
    }
    return "\"" + escaped.joined() + "\""
  }

  private static let few = [Array(word.utf8), Array(all.utf8)]
  private static let many =
    hidden.map { Array(String($0).utf8) } + few
    + [[0x80], [0x9B], [0x85], [0xC2], [0xFF], [0xED, 0xA0, 0x80], [0xE2, 0x80], [0xF4, 0x90, 0x80, 0x80]]

  /// Runs the tool and looks at all that a person sees of it, files of text included.
  private func check(_ words: [String], in folder: URL, files: [String] = [], codes: Set<Int32>) throws {
    let run = try ToolRun(words, in: folder)
    let name = words.map(PlainText.shown).joined(separator: " ")
    #expect(codes.contains(run.exitCode), "\(name): \(run.exitCode) \(PlainText.shown(run.errors))")
    expectEqual(Self.problem(run.out), nil, "\(name)")
    expectEqual(Self.problem(Array(run.errors.utf8)), nil, "\(name)")
    #expect(!run.out.isEmpty || !run.errors.isEmpty || !files.isEmpty, "\(name)")
    for file in files {
      // What came to nothing has no file.
      guard let data = try? Data(contentsOf: folder.appendingPathComponent(file)) else {
        expectEqual(run.exitCode, 1, "\(name)")
        continue
      }
      #expect(Self.problem([UInt8](data)) == nil && !data.isEmpty, "\(name)")
    }
  }

  @Test("What messages, names, comments and paths of a capture say is escaped by every verb that reads captures")
  func captures() throws {
    try Places.withTemporaryFolder { folder in
      let (many, few, report) = ("m\(Self.word).pcapng", "f\(Self.word).pcapng", "r\(Self.word)")
      try Data(Self.capture(Self.many)).write(to: folder.appendingPathComponent(many))
      try Data(Self.capture(Self.few)).write(to: folder.appendingPathComponent(few))
      try Data("{\"a\":\"\(Self.word)\"}\n".utf8).write(to: folder.appendingPathComponent("e\(Self.word)"))
      for format in ["text", "json", "junit", "tap", "sarif", "github"] {
        try check(["judge", many, "--format", format, "--record", report], in: folder, files: [report], codes: [1])
        try check(["judge", few, "--format", format, "--output", report], in: folder, files: [report], codes: [1])
      }
      try check(["judge", few, "--expect", "e\(Self.word)"], in: folder, codes: [2])
      for words in [
        ["--record", report], ["--format", "json", "--datagrams"], ["--explain"], ["--explain", "--format", "json"],
        ["--explain", "192.168.1.20"], ["--quiet", "--format", "json"], ["--as", "tv\(Self.word)"],
      ] {
        try check(["replay", many] + words, in: folder, codes: words[0] == "--as" ? [0, 2] : [0])
      }
      try check(["replay", few, "--expect", "e\(Self.word)"], in: folder, codes: [1])
      try check(["replay", few, "--expect", "e\(Self.word)", "--format", "json"], in: folder, codes: [1])
      try check(["replay", few, many, "--merge"], in: folder, codes: [0])
      for format in ["text", "json"] {
        try check(["diff", many, few, "--format", format], in: folder, codes: [1])
        try check(["diff", few, "--b-strict", "--format", format, "--no-times"], in: folder, codes: [0, 1])
      }
      try check(["shrink", few, "--report", "found", "-o", "s\(Self.word)"], in: folder, codes: [0])
      try check(["shrink", few, "--keep", Self.word, "-o", "s"], in: folder, codes: [0, 2])
    }
  }

  @Test("A scenario that is made of such a capture has no such character, in its comments either, and can be shown")
  func reproduction() throws {
    try Places.withTemporaryFolder { folder in
      let few = "f\(Self.word).pcapng"
      try Data(Self.capture([Array(Self.word.utf8)])).write(to: folder.appendingPathComponent(few))
      for keeps in [[], ["--keep-identities"]] {
        let yaml = "y\(Self.word).yaml"
        try check(["reproduce", few, "-o", yaml] + keeps, in: folder, files: [yaml], codes: [0, 1])
        for words in [
          ["run", "--trace", "trace"], ["run", "--format", "json"], ["run", "--format", "github"], ["explain"],
          ["diff"],
        ] {
          let files = words.contains("--trace") ? ["trace"] : []
          if !FileManager.default.fileExists(atPath: folder.appendingPathComponent(yaml).path) { continue }
          try check([words[0], yaml] + words.dropFirst(), in: folder, files: files, codes: [0, 1])
        }
      }
    }
  }

  @Test("What a scenario's author wrote is escaped when it is run, explained, shrunk, or refused")
  func scenarios() throws {
    try Places.withTemporaryFolder { folder in
      let odd = Self.quoted(Self.all + Self.word)
      let (file, bad) = ("a\(Self.word).yaml", "b\(Self.word).yaml")
      let text = WritingVerb.scenario.replacing("scenario: A television says that it leaves", with: "scenario: \(odd)")
        .replacing("why: A byebye ends what an announcement began.", with: "why: \(odd)\ntags: [\(odd)]")
        .replacing("lost: tv, cause", with: "lost: tv, id: \(odd), cause")
      try Data(text.utf8).write(to: folder.appendingPathComponent(file))
      for words in [
        ["run"], ["run", "--bites"], ["run", "--format", "json"], ["run", "--format", "junit"], ["explain"],
        ["run", "--format", "tap"], ["run", "--format", "sarif"], ["run", "--format", "github"],
      ] {
        try check([words[0], file] + words.dropFirst(), in: folder, codes: [0, 1, 2])
      }
      try check(["shrink", file, "--bite", "--budget-seconds", "1"], in: folder, codes: [0, 2])
      for line in [
        "\(odd): 1", "seeds: \(odd)", "tags: {\(odd): \(odd)}", "engine: {\(odd): 1}", "bites: \(odd)",
        "a\u{1B}[2J\u{202E}",
        "expect: [{\(odd): tv}]", "timeline: [{at: \(odd), leave: \(odd)}]", "inhabitants: {\(odd): {kind: \(odd)}}",
        "x: *\u{9B}y", "x: \"\\\u{1B}\"",
      ] {
        try Data((line + "\n").utf8).write(to: folder.appendingPathComponent(bad))
        for verb in ["run", "explain", "shrink"] { try check([verb, bad], in: folder, codes: [2]) }
      }
    }
  }

  @Test("What was typed is escaped where it is refused")
  func usage() throws {
    try WritingVerb.withInputs { folder in
      let odd = Self.all
      for words in [
        [odd], ["run", odd], ["run", "--\(odd)"], ["run", "in.yaml", "--format", odd],
        ["run", "in.yaml", "--seeds", odd],
        ["run", "in.yaml", "--set", odd], ["run", "in.yaml", "--set", "\(odd)=\(odd)"],
        ["run", "in.yaml", "--tag", odd], ["run", "in.yaml", "--only", odd], ["run", "in.yaml", "--expected", odd],
        ["run", "in.yaml", "--shard", odd], ["run", "in.yaml", "--at", odd, "--pcapng", "f"],
        ["run", "in.yaml", "--output", "\(odd)/f"], ["judge", odd], ["judge", "in.pcapng", "--clauses", odd],
        ["judge", "in.pcapng", "--filter", odd], ["judge", "in.pcapng", "--expect", odd], ["replay", odd],
        ["replay", "in.pcapng", "--until", odd], ["replay", "in.pcapng", "--set", odd],
        ["replay", "in.pcapng", "--set", "\(odd)=\(odd)"], ["diff", "in.pcapng", odd],
        ["diff", "in.pcapng", "--a-switch", odd], ["reproduce", odd], ["reproduce", odd, "--check"], ["shrink", odd],
        ["shrink", "in.yaml", "--switch", odd], ["shrink", "in.pcapng", "--report", odd],
        ["shrink", "in.pcapng", "--keep", odd],
        ["clauses", odd], ["explain", odd], ["fuzz", odd], ["discover", "-i", odd], ["serve", "in.yaml", "-i", odd],
        ["examine", "device", "-i", odd], ["examine", "control-point", "-i", "lo", "--address", odd],
        ["examine", "control-point", "-i", "lo", "--only", odd], ["record", "-i", odd, "-o", "f"],
      ] {
        try check(words, in: folder, codes: words.contains("--set") ? [2, 4] : [2])
      }
    }
  }

  @Test("Every way of printing escapes, and colours are put around what was escaped")
  func printing() throws {
    try Places.withTemporaryFolder { folder in
      let file = folder.appendingPathComponent("file")
      let output = try Output(path: file.path)
      let odd = Self.all + "\n\u{1B}"
      output.line(odd)
      output.line(painted: "a \(odd) \(PaintedText(odd, .red))")
      output.document(Self.all + "\n" + Self.all)
      output.line(JSONLine.quoted(odd))
      try output.finish()
      let bytes = [UInt8](try Data(contentsOf: file))
      expectEqual(Self.problem(bytes), nil)
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
      expectEqual(lines.count, 5)
      let read = try JSONSerialization.jsonObject(with: Data((lines.last ?? "").utf8), options: .fragmentsAllowed)
      expectEqual((read as? String).map { Array($0.unicodeScalars) }, Array(odd.unicodeScalars))
    }
    let painted: PaintedText = "a\u{1B} \(PaintedText("b\u{9B}", .red)) \(3)"
    expectEqual(painted.text(isColoured: true), "a\\x1b \u{1B}[31mb\\u{9b}\u{1B}[0m 3")
    #expect(painted.text(isColoured: false) == "a\\x1b b\\u{9b} 3" && "\(painted)" == "a\\x1b b\\u{9b} 3")
  }
}
