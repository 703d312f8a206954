import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import Testing

@testable import RollcallScenarios

/// Segments, links, interfaces and buffers, each form alone.
@Suite("Forms of a network and of hosts") struct NetworkFormTests {
  // MARK: Segments

  @Test("a network has one to 64 segments, each called by its key")
  func segments() throws {
    let form = Form<[SegmentSection]>.segments
    func many(_ count: Int) -> Tree {
      .mapping((0..<count).map { ("s\($0)", Tree.mapping([])) })
    }
    let none = FormBench.read(form, many(0))
    #expect(none.value == nil)
    expectEqual(none.said, ["a network has at least one segment"])
    let one = FormBench.read(form, many(1))
    expectEqual(one.value, [SegmentSection(name: "s0")])
    expectEqual(one.said, [])
    let full = FormBench.read(form, many(64))
    expectEqual(full.value, (0..<64).map { SegmentSection(name: "s\($0)") })
    expectEqual(full.said, [])
    let more = FormBench.read(form, many(65))
    #expect(more.value == nil)
    expectEqual(more.said, ["a network has at most 64 segments"])
  }

  @Test("a segment without a subnet has that of its place, 192.168 and its number from 1")
  func subnets() {
    let own = InterfaceAddress(IPAddress(10, 0, 0, 0), prefixBits: 8)
    let network = NetworkSection(segments: [
      SegmentSection(name: "a"), SegmentSection(name: "b", subnet: own), SegmentSection(name: "c"),
    ])
    expectEqual(
      network.subnets,
      [
        InterfaceAddress(IPAddress(192, 168, 1, 0), prefixBits: 24), own,
        InterfaceAddress(IPAddress(192, 168, 3, 0), prefixBits: 24),
      ])
  }

  @Test("each key of a segment is printed alone, and one that says the default is left out")
  func segment() throws {
    let form = Form<SegmentSection>.segment
    let subnet = InterfaceAddress(IPAddress(10, 0, 0, 0), prefixBits: 30)
    try FormBench.means(form, "{}", SegmentSection())
    try FormBench.means(form, "{subnet: 10.0.0.0/30}", SegmentSection(subnet: subnet))
    try FormBench.means(form, "{ipv6: true}", SegmentSection(ipv6: true))
    try FormBench.means(form, "{snooping: true}", SegmentSection(snooping: true))
    try FormBench.means(form, "{querier: 2s}", SegmentSection(querier: .seconds(2)))
    try FormBench.means(form, "{membership-timeout: 3s}", SegmentSection(membershipTimeout: .seconds(3)))
    try FormBench.reads(form, "{ipv6: false, snooping: false, membership-timeout: 260s}", SegmentSection())
  }

  // MARK: Links

  @Test("each key of a link changes its own term of a rule, and leaves all others as they were")
  func terms() throws {
    let form = Form<LinkPatch>.linkPatch
    let plain = LinkRule()
    func term(_ yaml: String, _ patch: LinkPatch, _ change: (inout LinkRule) -> Void) throws {
      try FormBench.means(form, yaml, patch)
      var rule = plain
      change(&rule)
      #expect(rule != plain, "\(yaml)")
      expectEqual(patch.applied(to: plain), rule, "\(yaml)")
    }
    try term("{latency: 1ms}", LinkPatch(latency: .constant(.milliseconds(1)))) {
      $0.latency = .constant(.milliseconds(1))
    }
    try term("{loss: 2%}", LinkPatch(loss: .uniform(.percent(2)))) { $0.loss = .uniform(.percent(2)) }
    try term("{multicast-loss: 3%}", LinkPatch(multicastLoss: .uniform(.percent(3)))) {
      $0.multicastLoss = .uniform(.percent(3))
    }
    try term("{duplicate: 4%}", LinkPatch(duplicate: .percent(4))) { $0.duplicate = .percent(4) }
    try term("{reorder: 5%}", LinkPatch(reorder: .percent(5))) { $0.reorder = .percent(5) }
    let held: ClosedRange<Interval> = .milliseconds(6) ... .milliseconds(7)
    try term("{reorder-delay: 6ms..7ms}", LinkPatch(reorderDelay: held)) { $0.reorderDelay = held }
    try term("{corrupt: 8%}", LinkPatch(corrupt: .percent(8))) { $0.corrupt = .percent(8) }
    try term("{bandwidth: 9Mbit/s}", LinkPatch(bandwidth: 9_000_000)) { $0.bandwidth = 9_000_000 }
    try term("{queue: 10KiB}", LinkPatch(queue: 10_240)) { $0.queueBytesMaximum = 10_240 }
    try term("{mtu: 1100}", LinkPatch(mtu: 1_100)) { $0.mtu = 1_100 }
    try FormBench.means(form, "{}", LinkPatch())
    expectEqual(LinkPatch().applied(to: plain), plain)
  }

  @Test("an IP packet of a link has 68 to 65535 bytes")
  func packets() throws {
    let form = Form<LinkPatch>.linkPatch
    for mtu in [68, 65_535] { try FormBench.means(form, "{mtu: \(mtu)}", LinkPatch(mtu: mtu)) }
    for mtu in [67, 65_536] {
      try FormBench.refuses(form, "{mtu: \(mtu)}", ["'\(mtu)' is not a whole number from 68 to 65535 such as 68"])
    }
  }

  @Test("what a link says of one direction counts there, and what it says of both counts in both")
  func directions() throws {
    let link = LinkSection(
      LinkPatch(queue: 1_024, mtu: 1_001), outbound: LinkPatch(mtu: 1_002), inbound: LinkPatch(mtu: 1_003))
    try FormBench.means(
      Form<LinkSection>.link, "{queue: 1KiB, mtu: 1001, outbound: {mtu: 1002}, inbound: {mtu: 1003}}", link)
    try FormBench.means(Form<LinkSection>.link, "{}", LinkSection())
    try FormBench.refuses(
      Form<LinkSection>.link, "{mtu: 1, outbound: {mtu: 2}, inbound: {mtu: 3, outbound: {}}}",
      [
        "'1' is not a whole number from 68 to 65535 such as 68",
        "'2' is not a whole number from 68 to 65535 such as 68",
        "'3' is not a whole number from 68 to 65535 such as 68",
        "unknown key 'outbound'; known are latency, loss, multicast-loss, duplicate, reorder, reorder-delay, corrupt, "
          + "bandwidth, queue, mtu",
      ])
    let (out, back) = (LinkRule(loss: .uniform(.percent(1))), LinkRule(loss: .uniform(.percent(2))))
    let rules = link.applied(toOutbound: out, inbound: back)
    expectEqual(rules.outbound, LinkRule(loss: .uniform(.percent(1)), queueBytesMaximum: 1_024, mtu: 1_002))
    expectEqual(rules.inbound, LinkRule(loss: .uniform(.percent(2)), queueBytesMaximum: 1_024, mtu: 1_003))
    let same = LinkSection(LinkPatch(mtu: 1_001)).applied(toOutbound: out, inbound: back)
    expectEqual([same.outbound.mtu, same.inbound.mtu], [1_001, 1_001])
  }

  @Test("a delay is a duration, a range of two or one of two shapes")
  func delays() throws {
    let form = Form<Delay>.delay
    try FormBench.means(form, "3ms", .constant(.milliseconds(3)))
    try FormBench.reads(form, "3ms..3ms", .constant(.milliseconds(3)))
    try FormBench.means(form, "3ms..4ms", .uniform(.milliseconds(3) ... .milliseconds(4)))
    try FormBench.means(
      form, "{normal: {mean: 2ms, deviation: 1ms}}", .normal(mean: .milliseconds(2), deviation: .milliseconds(1)))
    try FormBench.means(
      form, "{exponential: {minimum: 1ms, mean: 2ms}}",
      .exponential(minimum: .milliseconds(1), mean: .milliseconds(2)))
    try FormBench.refuses(form, "{}", ["missing one of the keys normal, exponential"])
    try FormBench.refuses(
      form, "{normal: {mean: 2ms, deviation: 1ms}, exponential: {minimum: 1ms, mean: 2ms}}",
      ["'exponential' cannot stand beside 'normal': only one of them"])
    try FormBench.refuses(form, "{normal: {}}", ["missing key 'mean'", "missing key 'deviation'"])
    try FormBench.refuses(form, "{exponential: {}}", ["missing key 'minimum'", "missing key 'mean'"])
    try FormBench.refuses(form, "[1ms]", ["expected a range of durations such as 200us..1ms, found a list"])
    try FormBench.refuses(form, "4ms..3ms", ["'4ms..3ms' is not a range of durations such as 200us..1ms"])
    try FormBench.refuses(form, "5", ["'5' has no unit: a range of durations is written such as 200us..1ms"])
  }

  @Test("a loss is a share, none where that is zero, or two states of which the good one loses nothing by default")
  func losses() throws {
    let form = Form<Loss>.loss
    try FormBench.means(form, "0%", Loss.none)
    try FormBench.reads(form, "0/7", Loss.none)
    try FormBench.means(form, "7%", Loss.uniform(.percent(7)))
    try FormBench.means(form, "100%", Loss.uniform(.always))
    try FormBench.means(
      form, "{gilbert-elliott: {good-to-bad: 1%, bad-to-good: 2%}}",
      Loss.gilbertElliott(goodToBad: .percent(1), badToGood: .percent(2), inGood: .never, inBad: .always))
    try FormBench.means(
      form, "{gilbert-elliott: {good-to-bad: 1%, bad-to-good: 2%, loss-in-good: 3%, loss-in-bad: 4%}}",
      Loss.gilbertElliott(
        goodToBad: .percent(1), badToGood: .percent(2), inGood: .percent(3), inBad: .percent(4)))
    try FormBench.refuses(form, "{}", ["missing key 'gilbert-elliott'"])
    try FormBench.refuses(
      form, "{gilbert-elliott: {}}", ["missing key 'good-to-bad'", "missing key 'bad-to-good'"])
    try FormBench.refuses(form, "[1%]", ["expected a share such as 10%, 0.5% or 1/3, found a list"])
  }

  // MARK: Hosts

  @Test("a host has the interfaces that it lists, else one on its segment with its address")
  func interfaces() throws {
    let address = IPAddress(10, 0, 0, 9)
    expectEqual(
      HostSection(segment: "far", address: address).resolvedInterfaces,
      [InterfaceSection(segment: "far", address: address)])
    expectEqual(HostSection().resolvedInterfaces, [InterfaceSection()])
    let two = [InterfaceSection(segment: "a"), InterfaceSection(isUpAtStart: false)]
    expectEqual(HostSection(segment: "far", interfaces: two).resolvedInterfaces, two)
    let form = Form<InterfaceSection>.interface
    try FormBench.means(form, "{}", InterfaceSection())
    try FormBench.means(form, "{segment: far}", InterfaceSection(segment: "far"))
    try FormBench.means(form, "{address: 10.0.0.9}", InterfaceSection(address: address))
    try FormBench.means(form, "{up: false}", InterfaceSection(isUpAtStart: false))
    try FormBench.means(form, "{link: {mtu: 100}}", InterfaceSection(link: LinkSection(LinkPatch(mtu: 100))))
    try FormBench.reads(form, "{up: true, link: {}}", InterfaceSection())
    try FormBench.refuses(
      form, "{segment: 1, address: 10.0.0, up: 1}",
      [
        "'1' is not the name of a segment such as lan", "'10.0.0' is not an address such as 192.168.1.20 or fe80::20",
        "'1' is not true or false such as true",
      ])
  }

  @Test("a buffer says its size and the time of a datagram, and an inhabitant of no LAN has a clock and a radio only")
  func buffers() throws {
    let form = Form<ReceiveBuffer>.receiveBuffer
    try FormBench.means(
      form, "{bytes: 1B, per-datagram: 2us}", ReceiveBuffer(bytesMaximum: 1, serviceTime: .microseconds(2)))
    try FormBench.refuses(form, "{}", ["missing key 'bytes'", "missing key 'per-datagram'"])
    try FormBench.refuses(form, "{bytes: 1B}", ["missing key 'per-datagram'"])
    try FormBench.refuses(form, "{per-datagram: 1s}", ["missing key 'bytes'"])
    expectEqual(HostSection.fieldsWithoutLAN.map(\.key.name), ["clock-drift", "radio"])
    expectEqual(
      HostSection.fields.map(\.key.name),
      [
        "segment", "address", "ipv6", "beside", "interfaces", "link", "clock-drift", "receive-buffer", "refuses-joins",
        "refuses-multicast-sends", "radio",
      ])
  }

  @Test("a network prints what is not the default")
  func network() throws {
    let form = Form<NetworkSection>.network
    try FormBench.means(form, "{}", NetworkSection())
    let two = [SegmentSection(name: "a"), SegmentSection(name: "b")]
    try FormBench.means(form, "{segments: {a: {}, b: {}}}", NetworkSection(segments: two))
    try FormBench.means(form, "{link: {mtu: 99}}", NetworkSection(link: LinkSection(LinkPatch(mtu: 99))))
    try FormBench.reads(form, "{segments: {lan: {}}, link: {}}", NetworkSection())
  }
}
