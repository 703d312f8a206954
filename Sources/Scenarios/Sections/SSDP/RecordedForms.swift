import RollcallDevices
import RollcallPrimitives

extension RecordedSection {
  static let fields: [Field<RecordedSection>] = [
    .key("sets", \.namedSets, .advertSets, default: [], "Its advertisement sets, by name."),
    .key("says", \.says, .list(of: .utterance), default: [], "What it says of its own accord, and when."),
    .key("answers", \.answers, .list(of: .answer), default: [], "What it answers, and how long after a search."),
    .key(
      "beside-engine", \.isBesideEngine, .bool, default: false,
      "Whether it is a program on the engine's host, whose searches count as the engine's own."),
  ]

  fileprivate var namedSets: [NamedSet] {
    get { sets.map { NamedSet(name: $0.name, adverts: $0.adverts) } }
    set { sets = newValue.map { AdvertSet($0.name, $0.adverts) } }
  }
}

private struct NamedSet: Hashable, Sendable {
  var name: String
  var adverts: [RecordedSection.Advert]
}

extension Form<[NamedSet]> {
  fileprivate static let advertSets = Form<[Named<[RecordedSection.Advert]>]>.named(
    "advertisement sets", .list(of: .advert, countMaximum: 1_000)
  ).map(
    { named, _, _ in named.map { NamedSet(name: $0.name, adverts: $0.value) } },
    back: { $0.map { Named($0.name, $0.adverts) } })
}

extension Form<RecordedSection.Advert> {
  static let advert = Form.record(
    RecordedSection.Advert(nt: ""),
    [
      .required("nt", \.nt, .text("a target", countMaximum: 4_096), "What stands for {nt}."),
      .key("usn", \.usn, .text("a USN", countMaximum: 4_096), default: "", "What stands for {usn}."),
    ])
}

extension RecordedSection.Wording {
  static let fields: [Field<RecordedSection.Wording>] = [
    .required(
      "lines", \.lines, .list(of: .text("a line", countMaximum: 16_384), countMaximum: 1_000),
      "The message line by line, with {nt} and {usn} where its set fills something in."),
    .key("line-end", \.lineEnd, .text("a line end", countMaximum: 8), default: "\r\n", "What stands between lines."),
    .key(
      "tail", \.tail, .text("an end", countMaximum: 16_384), default: "\r\n\r\n", "What stands behind the last line."),
  ]
}

private let times = Form<[Interval]>.list(of: .measured)

extension Form<RecordedSection.Utterance> {
  static let utterance: Form = {
    let head: [Field<RecordedSection.Utterance>] = [
      .required("at", \.at, times, "When it begins to say this, from its appearance on."),
      .optional("then-every", \.thenEvery, .measured, "How often it goes on to after the last of these."),
      .optional("set", \.set, .name("the name of a set", example: "all"), "Which set: a message for each of it."),
      .key("pace", \.pace, times, default: [], "From the start to each message, the first 0s."),
      .key("paces", \.paces, .list(of: times), default: [], "The same where it differs: one for each time."),
      .optional("to", \.to, .target, "Where it goes; to the group by default."),
      .key("source-port", \.sourcePort, .port, default: 1_900, "The source port."),
      .key("ttl", \.ttl, .integer(0...255), default: 2, "Its TTL."),
    ]
    return Form.record(
      RecordedSection.Utterance(), head + RecordedSection.Wording.fields.map { $0.lifted(\.wording) })
  }()
}

extension Form<RecordedSection.Answer> {
  static let answer: Form = {
    let head: [Field<RecordedSection.Answer>] = [
      .required("to", \.target, .text("a search target", countMaximum: 4_096), "ST of the searches that it answers."),
      .optional("set", \.set, .name("the name of a set", example: "all"), "Which set: a message for each of it."),
      .required("replies", \.replies, .list(of: .reply), "After which of the searches it hears, and how long after."),
      .key("source-port", \.sourcePort, .port, default: 1_900, "The source port."),
    ]
    return Form.record(RecordedSection.Answer(), head + RecordedSection.Wording.fields.map { $0.lifted(\.wording) })
  }()
}

extension Form<Recorded.Answer.Reply> {
  static let reply = Form.record(
    Recorded.Answer.Reply(search: 1, delays: []),
    [
      .required(
        "search", \.search, .integer(1...1_000_000), "Which search for this target that it hears; the last goes on."),
      .required("delays", \.delays, times, "From the search to each message."),
    ])
}
