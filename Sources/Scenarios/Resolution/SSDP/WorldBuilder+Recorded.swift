import RollcallDevices
import RollcallPrimitives
import RollcallSimulation

extension WorldBuilder {
  func plan(of section: RecordedSection, host: Int) -> Recorded.Plan {
    var plan = Recorded.Plan()
    plan.utterances = section.says.map { says in
      Recorded.Utterance(
        messages: section.messages(says.wording, set: says.set), starts: says.at, thenEvery: says.thenEvery,
        paces: says.paces.isEmpty ? (says.pace.isEmpty ? [] : [says.pace]) : says.paces,
        destination: says.to.flatMap { endpoint($0, port: 1_900) }, sourcePort: says.sourcePort,
        hopLimit: UInt8(clamping: says.ttl))
    }
    plan.answers = section.answers.map { answer in
      Recorded.Answer(
        target: Array(answer.target.utf8), messages: section.messages(answer.wording, set: answer.set),
        replies: answer.replies, sourcePort: answer.sourcePort)
    }
    if section.isBesideEngine {
      let segment = resolved.plan.hosts[host].interfaces.first?.segment
      plan.speaksAs = resolved.plan.hosts[0].interfaces.filter { $0.segment == segment }.flatMap(\.addresses)
        .map(\.address)
    }
    return plan
  }
}
