import RollcallCapture
import Foundation
import RollcallPrimitives
import RollcallSimulation
import RollcallWire

/// Makes large captures: discovery among TCP and other UDP.
enum CaptureMaker {
  /// Where the messages come from.
  enum Traffic {
    /// A simulated network.
    case network
    /// A corpus, in any order.
    case shuffled
  }

  private static let searchers = 20

  /// Writes a capture of about so many bytes, of whose frames so many percent are discovery.
  static func write(
    _ path: String, _ traffic: Traffic, byteCount: Int, discoveryPercent: UInt64
  ) throws -> (bytes: Int, frames: Int) {
    try Data().write(to: URL(fileURLWithPath: path))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    defer { try? file.close() }
    var written = 0
    var writer = CaptureWriter(section: CaptureSection()) { bytes in
      written += bytes.count
      file.write(Data(bytes))
    }
    let interface = writer.interface(name: "lan")
    let others = otherFrames()
    var dice = Seed(2).stream("capture")
    var frames = 0
    switch traffic {
    case .network:
      network(until: { written >= byteCount }) { start, time, frame in
        // What others say goes between this message and the one before.
        let count = Int64(100 / discoveryPercent) - 1
        for number in 0..<count {
          let offset = (time - start) / (count + 1) * (number + 1)
          writer.frame(interface: interface, time: start + offset, others[Int(dice.below(UInt64(others.count)))])
        }
        writer.frame(interface: interface, time: time, frame)
        frames += Int(count) + 1
      }
    case .shuffled:
      let discovery = discoveryFrames()
      var time = Instant(nanoseconds: 1_700_000_000_000_000_000)
      while written < byteCount {
        time += dice.interval(in: .microseconds(10) ... .milliseconds(6))
        let pool = dice.below(100) < discoveryPercent ? discovery : others
        writer.frame(interface: interface, time: time, pool[Int(dice.below(UInt64(pool.count)))])
        frames += 1
      }
    }
    writer.finish()
    // What is still on its way to the disk would be written beside the measurements.
    try file.synchronize()
    return (written, frames)
  }

  /// What a mirror port shows of a simulated network: the frame before, this one, and its bytes.
  private static func network(until isEnough: () -> Bool, _ show: (Instant, Instant, [UInt8]) -> Void) {
    withoutActuallyEscaping(show) { show in
      let box = SearchBenchmark.Box(
        World(plan: DayBenchmark.plan(deviceCount: 200, hours: 200, controlPointCount: 20)))
      let start = Instant(nanoseconds: 1_700_000_000_000_000_000)
      var last = start
      box.world.tap = { datagram, bytes, now in
        let time = start + (now - .zero)
        let host = Int(truncatingIfNeeded: datagram.source.address.low & 0xFFFF)
        let isGroup = datagram.destination.address.isMulticast
        let frames = FrameWriter.udp(
          link(host, isGroup ? datagram.destination.address : nil), from: datagram.source, to: datagram.destination,
          hopLimit: datagram.hopLimit, payload: Array(bytes))
        for frame in frames { show(last, time, frame) }
        last = time
      }
      box.world.start()
      var end = Instant.zero
      while !isEnough() {
        end += .minutes(1)
        box.world.run(until: end)
      }
      box.world.tap = nil
    }
  }

  private static func link(_ host: Int, _ group: IPAddress? = nil) -> LinkAddresses {
    let source = MACAddress(bits: 0x0200_0000_0000 | UInt64(host))
    return group.flatMap { LinkAddresses(source: source, group: $0) }
      ?? LinkAddresses(source: source, destination: MACAddress(bits: 0x0200_0000_0001))
  }

  /// Messages of six hundred devices; answers go to twenty searchers, who are also the ones who search.
  private static func discoveryFrames() -> [[UInt8]] {
    let corpus = Corpus(messageCount: 4_000, deviceCount: 600, seed: 11)
    var dice = Seed(2).stream("frames")
    return (0..<corpus.count).flatMap { index -> [[UInt8]] in
      let message = corpus.message(index)
      let searcher = Endpoint(IPAddress(192, 168, 3, UInt8(1 + dice.below(UInt64(searchers)))), port: 50_000)
      let device = Endpoint(corpus.senders[index], port: 1_900)
      let group = Endpoint(.ssdpGroup4, port: 1_900)
      switch message.first {
      case UInt8(ascii: "H"):
        return FrameWriter.udp(link(index), from: device, to: searcher, hopLimit: 64, payload: message)
      case UInt8(ascii: "M"):
        return FrameWriter.udp(link(index, .ssdpGroup4), from: searcher, to: group, hopLimit: 2, payload: message)
      default:
        return FrameWriter.udp(link(index, .ssdpGroup4), from: device, to: group, hopLimit: 2, payload: message)
      }
    }
  }

  private static func otherFrames() -> [[UInt8]] {
    var dice = Seed(2).stream("others")
    return (0..<400).flatMap { number -> [[UInt8]] in
      let from = IPAddress(192, 168, 0, UInt8(2 + dice.below(250)))
      let to = IPAddress(93, 184, UInt8(dice.below(256)), UInt8(1 + dice.below(250)))
      let size = [20, 32, 120, 400, 1_200, 1_460][Int(dice.below(6))]
      let bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
      if number % 4 == 0 {
        return FrameWriter.udp(
          link(number), from: Endpoint(from, port: 40_000), to: Endpoint(to, port: 443), hopLimit: 64, payload: bytes)
      }
      let tcp = IPProtocol.tcp
      return FrameWriter.frame(
        link(number), from: from, to: to, protocolNumber: tcp, ipPayload: bytes, hopLimit: 64, hasRouterAlert: false
      ).map { [$0] } ?? []
    }
  }
}
