import RollcallPrimitives
import RollcallSimulation

extension Form<NetworkSection> {
  static let network = Form.record(
    NetworkSection(),
    [
      .key(
        "segments", \.segments, .segments, default: [SegmentSection()], "The LANs by name; one named lan by default."),
      .key(
        "link", \.link, .link, default: LinkSection(), "What both directions of every link do, unless a host says else."
      ),
      .key("air", \.air, .air, default: AirPlan(), "What the air does to Bluetooth packets."),
    ])
}

extension Form<[SegmentSection]> {
  static let segments: Form = Form<[Named<SegmentSection>]>.named("segments", .segment).map(
    { named, tree, reader in
      if named.isEmpty {
        reader.complain("a network has at least one segment", at: tree.mark)
        return nil
      }
      if named.count > NetworkSection.segmentsMaximum {
        reader.complain("a network has at most \(NetworkSection.segmentsMaximum) segments", at: tree.mark)
        return nil
      }
      return named.map { entry -> SegmentSection in
        var segment = entry.value
        segment.name = entry.name
        return segment
      }
    }, back: { segments in segments.map { Named($0.name, $0) } })
}

extension Form<SegmentSection> {
  static let segment = Form.record(
    SegmentSection(),
    [
      .optional(
        "subnet", \.subnet, .subnet,
        "The IPv4 subnet that addresses are given from; 192.168.1.0/24 for the first segment by default."),
      .key("ipv6", \.ipv6, .bool, default: false, "Whether hosts have a link-local IPv6 address too."),
      .key(
        "snooping", \.snooping, .bool, default: false,
        "Whether the switch forwards multicast only where it heard a membership report."),
      .optional("querier", \.querier, .duration, "How often a querier asks for memberships; without it there is none."),
      .key(
        "membership-timeout", \.membershipTimeout, .duration, default: .seconds(260),
        "How long a membership report is good for on a snooping port."),
    ])
}

extension Form<LinkSection> {
  static let link = Form.record(LinkSection(), LinkPatch.fields.map { $0.lifted(\.both) } + directions).named("link")

  private static let directions: [Field<LinkSection>] = [
    .key("outbound", \.outbound, .linkPatch, default: LinkPatch(), "What differs from the host to the switch."),
    .key("inbound", \.inbound, .linkPatch, default: LinkPatch(), "What differs from the switch to the host."),
  ]
}

extension Form<LinkPatch> {
  static let linkPatch = Form.record(LinkPatch(), LinkPatch.fields).named("link-rule")
}

extension LinkPatch {
  static let fields: [Field<LinkPatch>] = [
    .optional("latency", \.latency, .delay, "How long a datagram is on its way."),
    .optional("loss", \.loss, .loss, "Which share of datagrams is lost."),
    .optional("multicast-loss", \.multicastLoss, .loss, "Loss of multicast and broadcast where it differs: Wi-Fi."),
    .optional("duplicate", \.duplicate, .ratio, "Which share arrives twice."),
    .optional("reorder", \.reorder, .ratio, "Which share is held back so that later datagrams overtake it."),
    .optional("reorder-delay", \.reorderDelay, .durations, "How long a datagram is held back."),
    .optional("corrupt", \.corrupt, .ratio, "Which share arrives with one byte changed."),
    .optional("bandwidth", \.bandwidth, .bandwidth, "What the link carries."),
    .optional("queue", \.queue, .bytes, "What may wait for the link; more is dropped."),
    .optional("mtu", \.mtu, .integer(68...65_535), "The largest IP packet in bytes; larger datagrams go in fragments."),
  ]
}

extension Form<Delay> {
  /// `3ms`, `200us..3ms` (uniform), `{normal: …}`, `{exponential: …}`.
  static let delay = Form.either(
    DelayForms.range, or: DelayForms.shape,
    isSecond: { $0.entries != nil },
    writesSecond: { delay in
      switch delay {
      case .normal, .exponential: true
      case .constant, .uniform: false
      }
    }
  ).named("delay")
}

private enum DelayForms {
  struct Draft: Sendable {
    var normal: Normal?
    var exponential: Exponential?
  }
  struct Normal: Sendable {
    var mean = Interval.zero
    var deviation = Interval.zero
  }
  struct Exponential: Sendable {
    var minimum = Interval.zero
    var mean = Interval.zero
  }

  static let range: Form<Delay> = Form<ClosedRange<Interval>>.durations.map(
    { range, _, _ in range.lowerBound == range.upperBound ? .constant(range.lowerBound) : .uniform(range) },
    back: { delay in
      switch delay {
      case .constant(let interval): interval...interval
      case .uniform(let range): range
      case .normal, .exponential: Interval.zero...Interval.zero
      }
    })

  private static let normal: [Field<Normal>] = [
    .required("mean", \.mean, .duration, "The mean."),
    .required("deviation", \.deviation, .duration, "The standard deviation."),
  ]
  private static let exponential: [Field<Exponential>] = [
    .required("minimum", \.minimum, .duration, "The constant part."),
    .required("mean", \.mean, .duration, "The mean of the exponential tail."),
  ]
  private static let fields: [Field<Draft>] = [
    .optional(
      "normal", \.normal, .record(Normal(), normal), choice: Choice(name: "delay"), "Normal, never below zero."),
    .optional(
      "exponential", \.exponential, .record(Exponential(), exponential), choice: Choice(name: "delay"),
      "A constant part and an exponential tail, cut at ten times its mean."),
  ]

  static let shape: Form<Delay> = Form<Draft>.record(Draft(), fields).map(
    { draft, _, _ in
      if let normal = draft.normal { return .normal(mean: normal.mean, deviation: normal.deviation) }
      return draft.exponential.map { .exponential(minimum: $0.minimum, mean: $0.mean) }
    },
    back: { delay in
      switch delay {
      case .normal(let mean, let deviation): Draft(normal: Normal(mean: mean, deviation: deviation))
      case .exponential(let minimum, let mean): Draft(exponential: Exponential(minimum: minimum, mean: mean))
      case .constant, .uniform: Draft()
      }
    })
}

extension Form<Loss> {
  /// `10%`, or `{gilbert-elliott: …}` for losses that clump.
  static let loss = Form.either(
    LossForms.plain, or: LossForms.bursts,
    isSecond: { $0.entries != nil },
    writesSecond: { if case .gilbertElliott = $0 { true } else { false } }
  ).named("loss")
}

private enum LossForms {
  struct Draft: Sendable { var bursts = Bursts() }
  struct Bursts: Sendable {
    var goodToBad = Ratio.never
    var badToGood = Ratio.always
    var inGood = Ratio.never
    var inBad = Ratio.always
  }

  static let plain: Form<Loss> = Form<Ratio>.ratio.map(
    { ratio, _, _ in ratio.isZero ? Loss.none : .uniform(ratio) },
    back: { loss in if case .uniform(let ratio) = loss { ratio } else { .never } })

  private static let states: [Field<Bursts>] = [
    .required("good-to-bad", \.goodToBad, .ratio, "The chance to turn bad, drawn for each datagram."),
    .required("bad-to-good", \.badToGood, .ratio, "The chance to turn good again."),
    .key("loss-in-good", \.inGood, .ratio, default: .never, "Loss in the good state."),
    .key("loss-in-bad", \.inBad, .ratio, default: .always, "Loss in the bad state."),
  ]
  private static let fields: [Field<Draft>] = [
    .required(
      "gilbert-elliott", \.bursts, .record(Bursts(), states),
      "Two states, good and bad, each with its own loss: losses come in bursts.")
  ]

  static let bursts: Form<Loss> = Form<Draft>.record(Draft(), fields).map(
    { draft, _, _ in
      .gilbertElliott(
        goodToBad: draft.bursts.goodToBad, badToGood: draft.bursts.badToGood, inGood: draft.bursts.inGood,
        inBad: draft.bursts.inBad)
    },
    back: { loss in
      guard case .gilbertElliott(let goodToBad, let badToGood, let inGood, let inBad) = loss else { return Draft() }
      return Draft(bursts: Bursts(goodToBad: goodToBad, badToGood: badToGood, inGood: inGood, inBad: inBad))
    })
}
