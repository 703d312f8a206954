import RollcallPrimitives
import RollcallWire

/// A message of multicast DNS, checked with all that is in it and read as values, beside c-ares and python-zeroconf.
enum DNSBenchmark {
  static func run(_ options: Options, _ report: Report) -> UInt64 {
    report.note("dns: responses of 10 records. 'read' checks every record, name and string, keeps where they stand")
    report.note("     and copies none, as for hosts that hear a message. c-ares and python-zeroconf keep a copy of")
    report.note("     each, and so does 'read, each name and text made', which has no target.")
    var proof: UInt64 = 0
    for corpus in [DNSCorpus.twoServices, DNSCorpus.tenInstances] {
      proof = Proof.fold(proof, run(corpus, options, report))
    }
    return proof
  }

  private static func run(_ corpus: DNSCorpus, _ options: Options, _ report: Report) -> UInt64 {
    let repeats = options.size(100_000, smoke: 10)
    precondition(corpus.isReadWhole, "what is read is what was written")
    precondition(corpus.index(repeats: 3) == corpus.read(repeats: 3), "index and values are the same")
    var contenders = [
      Contender("index", operations: repeats) { corpus.index(repeats: repeats) },
      Contender("values", operations: repeats) { corpus.read(repeats: repeats) },
    ]
    switch DNSAnchor.open() {
    case .success(let anchor):
      precondition(anchor.read(corpus, repeats: 3) == corpus.index(repeats: 3), "both find the same")
      contenders.append(Contender("c-ares", operations: repeats) { anchor.read(corpus, repeats: repeats) })
    case .failure(let absence): report.note("dns: left out beside c-ares: \(absence.text)")
    }
    let contest = Contest(contenders, passes: options.passes())
    let hasAnchor = contenders.count == 3
    for (contender, name) in [(0, "read"), (1, "read, each name and text made")] {
      report.add(
        Figure(
          name: "\(corpus.name), \(name)", value: contest.median(contender), unit: "ns",
          anchor: hasAnchor ? ("c-ares", contest.median(2)) : nil,
          ratio: hasAnchor ? contest.ratio(contender, to: 2) : nil,
          target: hasAnchor && contender == 0 ? .atMost(0.5) : nil))
    }
    if options.isSmoke || !corpus.isReadByPython { return contest.proof }
    let hex = corpus.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    for (kind, name) in [("source", "its Python source"), ("compiled", "its C, by Cython")] {
      let words = [kind, hex, String(corpus.recordCount), "5000"]
      switch AnchorInPython.number("zeroconf-read.py", words) {
      case .failure(let absence): report.note("dns: left out beside python-zeroconf: \(absence.text)")
      case .success(let nanoseconds):
        report.add(
          Figure(
            name: "beside python-zeroconf, \(name)", value: contest.median(0), unit: "ns",
            anchor: ("python-zeroconf 0.154.0", nanoseconds), ratio: nanoseconds / contest.median(0),
            target: .atLeast(50)))
      }
    }
    return contest.proof
  }
}

/// One message, and how it is read.
struct DNSCorpus {
  var name: String
  var bytes: [UInt8]
  private var answers: [DNSRecord]
  var isReadByPython: Bool

  /// What a host announces that has two services: for each a pointer, its place, its text and what there is not; the
  /// addresses of the host.
  static var twoServices: DNSCorpus {
    let host = name("workshop-printer", "local")
    var answers: [DNSRecord] = []
    for (type, instance) in [("_ipp", "Workshop Printer"), ("_http", "Workshop Printer web")] {
      let (type, service) = (name(type, "_tcp", "local"), name(instance, type, "_tcp", "local"))
      let text = ["txtvers=1", "qtotal=1", "rp=printers/a"].flatMap { [UInt8($0.utf8.count)] + $0.utf8 }
      answers += [
        DNSRecord(type, .ptr(service), ttlSeconds: 4_500),
        DNSRecord(
          service, .srv(priority: 0, weight: 0, port: 631, target: host), ttlSeconds: 120, isCacheFlush: true),
        DNSRecord(service, .txt(text), ttlSeconds: 4_500, isCacheFlush: true),
        DNSRecord(service, .nsec(next: service, types: [.txt, .srv]), ttlSeconds: 4_500, isCacheFlush: true),
      ]
    }
    for address in [IPAddress(192, 168, 1, 7), IPAddress(v6High: 0xFE80 << 48, low: 7)] {
      answers.append(DNSRecord(host, .address(address), ttlSeconds: 120, isCacheFlush: true))
    }
    return DNSCorpus("an announcement of two services", answers, isReadByPython: true)
  }

  /// What answers a query for a type of which there are ten instances.
  static var tenInstances: DNSCorpus {
    let type = name("_http", "_tcp", "local")
    let answers = (0..<10).map { number in
      DNSRecord(type, .ptr(name("Service \(number) of the house", "_http", "_tcp", "local")), ttlSeconds: 4_500)
    }
    return DNSCorpus("an answer of ten instances", answers, isReadByPython: false)
  }

  private init(_ name: String, _ answers: [DNSRecord], isReadByPython: Bool) {
    (self.name, self.isReadByPython, self.answers) = (name, isReadByPython, answers)
    bytes = DNSMessage(flags: .response, answers: answers).bytes
  }

  private static func name(_ labels: String...) -> DNSName {
    guard let name = DNSName(labels: labels) else { preconditionFailure("a name") }
    return name
  }

  var recordCount: Int { answers.count }

  /// Whether every record is read as it was written.
  var isReadWhole: Bool { bytes.withUnsafeBytes { try? DNSReader.read($0) }?.message.answers == answers }

  /// The sum of all TTLs in seconds, of entries that were checked with their names and data.
  func index(repeats: Int) -> UInt64 {
    bytes.withUnsafeBytes { bytes in
      var (sum, index) = (0 as UInt64, DNSIndex())
      for _ in 0..<repeats {
        guard (try? DNSReader.check(bytes, into: &index)) != nil, index.faults.isEmpty else { return 0 }
        for entry in index.entries { sum &+= UInt64(entry.ttlSeconds) }
      }
      return sum
    }
  }

  /// The same, of values.
  func read(repeats: Int) -> UInt64 {
    bytes.withUnsafeBytes { bytes in
      var sum: UInt64 = 0
      for _ in 0..<repeats {
        guard let reading = try? DNSReader.read(bytes), reading.faults.isEmpty else { return 0 }
        for place in reading.message.answers.indices { sum &+= UInt64(reading.message.answers[place].ttlSeconds) }
      }
      return sum
    }
  }
}

/// `Tools/anchors/cares.c`.
struct DNSAnchor {
  private typealias Read = @convention(c) (UnsafePointer<UInt8>?, Int, UInt64) -> UInt64
  private let body: Read

  static func open() -> Result<DNSAnchor, AnchorAbsence> {
    AnchorInC.function("rollcall_anchor_dns", in: "cares.c", linking: ["cares"]).map {
      DNSAnchor(body: unsafeBitCast($0, to: Read.self))
    }
  }

  func read(_ corpus: DNSCorpus, repeats: Int) -> UInt64 {
    corpus.bytes.withUnsafeBufferPointer { body($0.baseAddress, $0.count, UInt64(repeats)) }
  }
}
