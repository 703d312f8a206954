package import RollcallPrimitives

/// One frame of a capture file: where its bytes lie and what the file says about it.
///
/// A view: `bytes`, and what `comments` reads, are good until the reader is asked for the next frame.
package struct CaptureFrame: BitwiseCopyable {
  /// Readable bytes behind every frame, so that a reader of whole words needs no care at the end.
  package static let paddingBytes = 64

  /// Counts from 1, as an analyser shows it: custom blocks of pcapng have numbers too.
  package var number = 0
  /// Since the Unix epoch; zero where `hasTime` is false.
  package var time = Instant.zero
  /// The time as the file has it: whole seconds, and nanoseconds that a broken file lets grow past a second.
  package var seconds: Int64 = 0
  package var fraction: Int32 = 0
  /// False for a simple packet block, which has no time.
  package var hasTime = true
  /// The LINKTYPE_ number of the file, upper bits cut off.
  package var linkType: UInt32 = 0
  /// Index into `CaptureReader.interfaces`.
  package var interface = 0
  /// Bytes in the file.
  package var capturedCount = 0
  /// Bytes on the wire.
  package var originalCount = 0
  /// `capturedCount` bytes, and `paddingBytes` more that may be read and mean nothing.
  package var bytes: UnsafeRawPointer

  /// What a btsnoop record says of its packet; for other files it means nothing.
  var btsnoopFlags: UInt32 = 0
  // The options of a pcapng block, unread.
  var optionsCount = 0
  var isSwapped = false
  var options: UnsafeRawPointer

  package init() {
    bytes = CaptureFrame.nothing
    options = CaptureFrame.nothing
  }

  /// What a frame points to before a reader has filled it.
  nonisolated(unsafe) static let nothing: UnsafeRawPointer = {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: paddingBytes, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: paddingBytes)
    return UnsafeRawPointer(memory)
  }()

  package var content: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: capturedCount) }

  /// Which way a frame went, seen from the host that captured it.
  package enum Direction: UInt8, Hashable, Sendable { case inbound = 1, outbound = 2 }

  /// What the file says of the frame's direction; `nil`: nothing.
  package var direction: Direction? {
    guard optionsCount > 0 else { return nil }
    var found: Direction?
    let all = UnsafeRawBufferPointer(start: options, count: optionsCount)
    PcapngOptions(bytes: all, isSwapped: isSwapped).forEach { code, value in
      guard code == PcapngOptions.flags, value.count == 4 else { return }
      found = Direction(rawValue: value[isSwapped ? 3 : 0] & 3)
    }
    return found
  }

  /// Whether the frame crossed a loopback interface; `nil`: its link layer does not tell. Linux gives the frames of one
  /// no MAC addresses, or the hardware type 772 in its cooked headers; BSD has a link layer for them.
  package var isOnLoopback: Bool? {
    func big16(_ offset: Int) -> UInt16 {
      UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }
    switch linkType {
    case LinkType.ethernet where capturedCount >= 14: return content[..<12].allSatisfy { $0 == 0 }
    case LinkType.linuxCooked where capturedCount >= 16: return big16(2) == 772
    case LinkType.linuxCooked2 where capturedCount >= 20: return big16(8) == 772
    case LinkType.null, LinkType.loop: return true
    case LinkType.wireless, LinkType.radiotap: return false
    default: return nil
    }
  }

  /// The comments that a pcapng file attaches to this frame; an allocation.
  package var comments: [String] {
    guard optionsCount > 0 else { return [] }
    var found: [String] = []
    let all = UnsafeRawBufferPointer(start: options, count: optionsCount)
    PcapngOptions(bytes: all, isSwapped: isSwapped).forEach { code, value in
      if code == PcapngOptions.comment { found.append(String(decoding: value, as: UTF8.self)) }
    }
    return found
  }

  /// Makes its time count from an instant of 1970 and later.
  package mutating func countTime(from origin: Instant) {
    guard hasTime else { return }
    time = .zero + (time - origin)
    let (whole, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    (seconds, fraction) = rest < 0 ? (whole - 1, Int32(rest + 1_000_000_000)) : (whole, Int32(rest))
  }

  /// Seconds, a point and at least nine digits; empty without a time.
  ///
  /// A fraction of a second or more is shown as it stands, and a negative one as its magnitude behind a minus sign;
  /// before 1970 it still counts forward from its second, so that half a second before is `-1.500000000`. All that is
  /// what the analysers print, and their text is what people compare with.
  package var timeText: String {
    guard hasTime else { return "" }
    let digits = String(fraction.magnitude)
    let zeros = String(repeating: "0", count: max(0, 9 - digits.utf8.count))
    return (fraction < 0 && seconds >= 0 ? "-" : "") + "\(seconds)." + zeros + digits
  }
}

/// A network interface that a capture file describes; a pcap file has one.
package struct CaptureInterface: Hashable, Sendable {
  package var linkType: UInt32
  /// Bytes kept of each frame; 0 for no limit.
  package var snapLength: UInt32
  package var name: String?
  package var details: String?
  package var comments: [String] = []
  /// The section of the file that it belongs to, from 0.
  package var section = 0

  /// Ticks of its clock in one second.
  var ticksPerSecond: UInt64 = 1_000_000
  var offsetSeconds: Int64 = 0

  package init(linkType: UInt32, snapLength: UInt32, name: String? = nil) {
    (self.linkType, self.snapLength, self.name) = (linkType, snapLength, name)
  }
}

/// What one section of a pcapng file says about itself.
package struct CaptureSection: Hashable, Sendable {
  package var hardware: String?
  package var operatingSystem: String?
  package var application: String?
  package var comments: [String] = []
  package init() {}
}

/// A name that a capture file gives to an address.
package struct CaptureName: Hashable, Sendable {
  package var address: IPAddress
  package var name: String
  package init(address: IPAddress, name: String) { (self.address, self.name) = (address, name) }
}
