import RollcallPrimitives
import RollcallWire

/// Advertising data read, beside a plain loop in C with the same checks.
enum AdvertisingBenchmark {
  static func run(_ options: Options, _ report: Report) -> UInt64 {
    let corpus = AdvertisingCorpus(count: options.size(1_000, smoke: 20))
    let repeats = options.size(500, smoke: 1)
    let operations = corpus.ends.count * repeats
    report.note("advertising: buffers of up to 31 bytes, 3 structures on the mean, one in eight with a fault")
    var contenders = [
      Contender("walk", operations: operations) { corpus.walk(repeats: repeats) },
      Contender("fields", operations: operations) { corpus.fields(repeats: repeats) },
    ]
    let anchor = AdvertisingAnchor.open()
    switch anchor {
    case .success(let anchor):
      precondition(anchor.read(corpus, repeats: 1) == corpus.walk(repeats: 1), "both find the same")
      contenders.append(Contender("C", operations: operations) { anchor.read(corpus, repeats: repeats) })
    case .failure(let absence): report.note("advertising: left out beside C: \(absence.text)")
    }
    let contest = Contest(contenders, passes: options.passes())
    let hasAnchor = contenders.count == 3
    for (number, name) in ["advertising data, walk and checks", "the same, every field kept"].enumerated() {
      report.add(
        Figure(
          name: name, value: contest.median(number), unit: "ns",
          anchor: hasAnchor ? ("a plain loop in C", contest.median(2)) : nil,
          ratio: hasAnchor ? contest.ratio(number, to: 2) : nil,
          target: hasAnchor && number == 0 ? .atMost(1) : nil))
    }
    return contest.proof
  }
}

/// Buffers of advertising data one behind the other, and where each ends.
struct AdvertisingCorpus {
  private(set) var bytes: [UInt8] = []
  private(set) var ends: [UInt32] = []

  init(count: Int) {
    var dice = Seed(5).stream("advertising")
    for number in 0..<count {
      var fields = AdvertisedFields()
      fields.flags = 6
      fields.services = [BluetoothUUID(short: UInt32(0x1800 + dice.below(64)))]
      switch dice.below(4) {
      case 0: fields.name = "peripheral \(number % 100)"
      case 1: fields.manufacturerData = [[0x4C, 0, 2, 0x15] + (0..<8).map { _ in UInt8(dice.below(256)) }]
      case 2: fields.serviceData = [.init(BluetoothUUID(short: 0xFFFA), [1, 2, UInt8(dice.below(256))])]
      default: fields.services = [BluetoothUUID(high: dice.next(), low: dice.next())]
      }
      if dice.below(2) == 0 { fields.transmitPower = -4 }
      var one = fields.bytes
      switch dice.below(16) {
      case 0: one += [9, 9, 65]
      case 1: one += [UInt8](repeating: 0, count: max(0, 31 - one.count))
      case 2: one += [3, 0x0A, 1, 2]
      default: break
      }
      bytes += one.prefix(31)
      ends.append(UInt32(bytes.count))
    }
  }

  /// Every structure with the checks of a host; nothing is kept.
  func walk(repeats: Int) -> UInt64 {
    bytes.withUnsafeBytes { bytes in
      var sum: UInt64 = 0
      guard let base = bytes.baseAddress else { return sum }
      for _ in 0..<repeats {
        var start = 0
        for end in ends {
          let buffer = UnsafeRawBufferPointer(start: base + start, count: Int(end) &- start)
          sum = sum &* 31 &+ AdvertisingCorpus.walk(buffer)
          start = Int(end)
        }
      }
      return sum
    }
  }

  @inline(__always) private static func walk(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    // Faults are counted in the upper half of the sum.
    let fault = UInt64(1) &<< 32
    var sum: UInt64 = 0
    @inline(__always) func word(_ offset: Int) -> UInt64 {
      UInt64(bytes[offset]) | UInt64(bytes[offset &+ 1]) &<< 8
    }
    // Widths are powers of two.
    @inline(__always) func list(_ structure: AdvertisingStructure, _ width: Int) {
      var offset = structure.data.lowerBound
      let end = offset &+ (structure.count & ~(width &- 1))
      while offset != end {
        sum &+= word(offset)
        offset &+= width
      }
      if structure.count & (width &- 1) != 0 { sum &+= fault }
    }
    @inline(__always) func data(_ structure: AdvertisingStructure, _ minimum: Int) {
      sum &+= structure.count >= minimum ? UInt64(structure.count) : fault
    }
    var walk = AdvertisingWalk(bytes)
    while let structure = walk.next() {
      let first = structure.data.lowerBound
      // The numbers of the loop in C.
      switch structure.kind.rawValue {
      case 0x01: if structure.count > 0 { sum &+= UInt64(bytes[first]) } else { sum &+= fault }
      case 0x02, 0x03, 0x14: list(structure, 2)
      case 0x04, 0x05, 0x1F: list(structure, 4)
      case 0x06, 0x07, 0x15: list(structure, 16)
      case 0x08, 0x09:
        var count = structure.count
        while count > 0, bytes[first &+ count &- 1] == 0 || bytes[first &+ count &- 1] == 0x20 { count &-= 1 }
        sum &+= UInt64(count)
      case 0x0A: if structure.count == 1 { sum &+= UInt64(bytes[first]) } else { sum &+= fault }
      case 0x19: if structure.count == 2 { sum &+= word(first) } else { sum &+= fault }
      case 0x16: data(structure, 2)
      case 0x20: data(structure, 4)
      case 0x21: data(structure, 16)
      case 0xFF: if structure.count >= 2 { sum &+= word(first) } else { sum &+= fault }
      default: break
      }
    }
    if case .overrun = walk.end { sum &+= fault }
    return sum
  }

  /// Every field as the engine keeps it.
  func fields(repeats: Int) -> UInt64 {
    bytes.withUnsafeBytes { bytes in
      var sum: UInt64 = 0
      for _ in 0..<repeats {
        var start = 0
        for end in ends {
          let fields = AdvertisedFields(UnsafeRawBufferPointer(rebasing: bytes[start..<Int(end)]))
          sum = sum &* 31 &+ UInt64(fields.kinds.count &+ fields.faults.count &<< 8)
          start = Int(end)
        }
      }
      return sum
    }
  }
}

/// `Tools/anchors/advertising.c`.
struct AdvertisingAnchor {
  private typealias Read = @convention(c) (UnsafePointer<UInt8>?, UnsafePointer<UInt32>?, Int, UInt64) -> UInt64
  private let body: Read

  static func open() -> Result<AdvertisingAnchor, AnchorAbsence> {
    AnchorInC.function("rollcall_anchor_advertising", in: "advertising.c").map {
      AdvertisingAnchor(body: unsafeBitCast($0, to: Read.self))
    }
  }

  func read(_ corpus: AdvertisingCorpus, repeats: Int) -> UInt64 {
    corpus.bytes.withUnsafeBufferPointer { bytes in
      corpus.ends.withUnsafeBufferPointer { ends in
        var sum: UInt64 = 0
        // Each pass goes on from the sum of the one before it, as on the other side.
        for _ in 0..<repeats { sum = body(bytes.baseAddress, ends.baseAddress, ends.count, sum) }
        return sum
      }
    }
  }
}
