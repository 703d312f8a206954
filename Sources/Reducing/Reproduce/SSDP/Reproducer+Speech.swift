import RollcallDevices
import RollcallPrimitives
import RollcallReplaying
import RollcallScenarios
import RollcallWire

// What hosts say of their own accord, and what they answer.
extension Reproducer {
  private struct Form: Hashable {
    var key: String
    var destination: Endpoint?
    var hopLimit: UInt8
    var port: UInt16
  }

  /// Announcements, goodbyes and searches as sets and the instants at which they are said.
  mutating func utterances(
    _ messages: [TapedMessage], _ party: Party, _ sets: inout [RecordedSection.AdvertSet]
  ) -> [RecordedSection.Utterance] {
    var forms: [(form: Form, wording: RecordedSection.Wording, spoken: [RoundFinder.Spoken], taped: [TapedMessage])] =
      []
    var places: [Form: Int] = [:]
    for message in messages {
      let isSearch = message.kind == .search
      guard message.kind != nil,
        let parts = MessageWording(message.payload, target: isSearch ? nil : message.kind == .response ? "ST" : "NT")
      else {
        addOddity(message)
        continue
      }
      noteGroup(message)
      if parts.hasDate { lose("DATE: every message has the date of the first in its words") }
      // The source port of an announcement says nothing; that of a search is where answers go.
      let form = Form(
        key: parts.key, destination: destination(of: message), hopLimit: message.hopLimit,
        port: isSearch ? message.source.port : 0)
      let spoken = RoundFinder.Spoken(time: message.time, advert: parts.advert)
      if let place = places[form] {
        forms[place].spoken.append(spoken)
        forms[place].taped.append(message)
      } else {
        places[form] = forms.count
        forms.append((form, parts.wording, [spoken], [message]))
      }
    }
    var says: [RecordedSection.Utterance] = []
    for (form, wording, spoken, taped) in forms {
      for cluster in RoundFinder.clusters(spoken) {
        let isSearch = taped[0].kind == .search
        // One announcement, once: that is a datagram and no behaviour.
        if cluster.messageCount == 1, !isSearch {
          if let single = taped.first(where: { $0.time == cluster.starts[0] && !isTaken($0, spoken, cluster) }) {
            addOddity(single)
            continue
          }
        }
        result.ownCount += cluster.messageCount
        let beat = continued(cluster, taped, messages)
        let paces = grain.paces(cluster.offsets)
        says.append(
          RecordedSection.Utterance(
            wording, set: cluster.adverts == [RecordedSection.Advert(nt: "")] ? nil : set(cluster.adverts, &sets),
            at: cluster.starts.map(at), thenEvery: beat, pace: paces.shared, paces: paces.each,
            to: form.destination.map { target(of: $0, isSearch: isSearch) }, sourcePort: port(of: taped[0]),
            ttl: Int(form.hopLimit)))
      }
    }
    return says
  }

  /// Programs beside the engine have its address: two that searched from one port get a port each.
  private mutating func port(of message: TapedMessage) -> UInt16 {
    guard message.kind == .search, tape.perspective == .everybody else { return message.source.port }
    if let known = ports[message.source] { return known }
    var port = message.source.port
    while ports.values.contains(port) { port = port < 49_152 ? 49_152 : port == .max ? 49_152 : port + 1 }
    ports[message.source] = port
    return port
  }

  /// Whether another message of the same instant is meant.
  private func isTaken(
    _ message: TapedMessage, _ spoken: [RoundFinder.Spoken], _ cluster: RoundFinder.Cluster
  ) -> Bool {
    guard let parts = MessageWording(message.payload, target: message.kind == .response ? "ST" : "NT") else {
      return true
    }
    return parts.advert != cluster.adverts[0]
  }

  /// `nil`: the group. A program beside the engine has addresses of both families, so it says which group it means.
  private func destination(of message: TapedMessage) -> Endpoint? {
    guard message.destination.address.isMulticast else { return message.destination }
    let isProgram = message.kind == .search && isShared(message) && message.source.address.family == .v6
    return isProgram ? Endpoint(.ssdpGroup6, port: 1_900) : nil
  }

  private mutating func noteGroup(_ message: TapedMessage) {
    let address = message.destination.address
    if address.isMulticast, address != .ssdpGroup4, address != .ssdpGroup6 {
      let own = address.family == .v4 ? IPAddress.ssdpGroup4 : .ssdpGroup6
      lose("the group \(address): what went there goes to \(own)")
    } else if address.isBroadcast {
      lose("broadcast: what went to \(address) goes to the engine alone")
    }
  }

  private func target(of destination: Endpoint, isSearch: Bool) -> Target {
    isSearch && !destination.address.isBroadcast
      ? Target(.address(destination.address), port: destination.port)
      : Target(.name("engine"), port: destination.port)
  }

  /// How often the host would have gone on: only where it was not yet due again when the capture ended, and where it
  /// did not take leave in between.
  private func continued(
    _ cluster: RoundFinder.Cluster, _ taped: [TapedMessage], _ all: [TapedMessage]
  ) -> Interval? {
    guard taped[0].kind == .notifyAlive, let beat = RoundFinder.beat(cluster.starts), let last = cluster.starts.last,
      last + beat > tape.end, !all.contains(where: { $0.kind == .notifyByebye && $0.time > last })
    else { return nil }
    return grain.rounded(beat)
  }

  /// The name of a set with these adverts, new if need be.
  private func set(
    _ adverts: [RecordedSection.Advert], _ sets: inout [RecordedSection.AdvertSet]
  ) -> String {
    if let known = sets.first(where: { $0.adverts == adverts }) { return known.name }
    let name = sets.isEmpty ? "all" : "set-\(sets.count + 1)"
    sets.append(RecordedSection.AdvertSet(name, adverts))
    return name
  }

  // MARK: Answers

  private struct Asked: Hashable {
    var target: String
    /// From 1, among the searches for this target that the host hears.
    var number: Int
  }

  /// Searches that a host of the scenario hears, each with its number among those for its target.
  private func heard(by party: Party) -> [(search: TapedSearch, asked: Asked)] {
    var counts: [String: Int] = [:]
    return searches.compactMap { search in
      guard search.interface == party.interface, search.source.address.family == party.address.family else {
        return nil
      }
      let isGroup = search.destination.address.isMulticast
      guard isGroup && search.destination.port == 1_900 || search.destination.address == party.address else {
        return nil
      }
      // Its own group searches do not come back to a host; a program beside the engine is another one.
      if !search.isShared, search.source.address == party.address { return nil }
      counts[search.target, default: 0] += 1
      return (search, Asked(target: search.target, number: counts[search.target] ?? 0))
    }
  }

  /// Answers to searches that the capture does not show.
  func unasked(_ messages: [TapedMessage], _ party: Party) -> [TapedMessage] {
    let heard = heard(by: party)
    return messages.filter { message in
      guard message.kind == .response, let parts = MessageWording(message.payload, target: "ST") else {
        return message.kind == .response
      }
      return question(message, parts.advert.nt, heard) == nil
    }
  }

  mutating func answers(
    _ messages: [TapedMessage], _ party: Party, _ sets: inout [RecordedSection.AdvertSet]
  ) -> [RecordedSection.Answer] {
    if messages.isEmpty { return [] }
    let heard = heard(by: party)
    var replies:
      [(
        asked: Asked, key: String, wording: RecordedSection.Wording, port: UInt16, time: Instant,
        spoken: [RoundFinder.Spoken]
      )] = []
    for message in messages {
      guard let parts = MessageWording(message.payload, target: "ST"),
        let question = question(message, parts.advert.nt, heard)
      else { continue }
      if parts.hasDate { lose("DATE: every message has the date of the first in its words") }
      result.ownCount += 1
      let spoken = RoundFinder.Spoken(time: message.time, advert: parts.advert)
      if let place = replies.lastIndex(where: {
        $0.asked == question.asked && $0.key == parts.key && $0.port == message.source.port
      }) {
        replies[place].spoken.append(spoken)
      } else {
        replies.append((question.asked, parts.key, parts.wording, message.source.port, question.time, [spoken]))
      }
    }
    var answers: [(key: String, answer: RecordedSection.Answer)] = []
    for reply in replies {
      let name = set(reply.spoken.map(\.advert), &sets)
      let delays = reply.spoken.map { at($0.time) - at(reply.time) }
      let one = Recorded.Answer.Reply(search: reply.asked.number, delays: delays)
      if let place = answers.firstIndex(where: {
        $0.key == reply.key && $0.answer.target == reply.asked.target && $0.answer.set == name
          && $0.answer.sourcePort == reply.port
      }) {
        answers[place].answer.replies.append(one)
      } else {
        answers.append(
          (
            reply.key,
            RecordedSection.Answer(
              target: reply.asked.target, reply.wording, set: name, replies: [one], sourcePort: reply.port)
          ))
      }
    }
    closeRecording(&answers, heard)
    return answers.map(\.answer)
  }

  /// Where a host heard later searches and kept silent, it keeps silent on the last one too.
  private func closeRecording(
    _ answers: inout [(key: String, answer: RecordedSection.Answer)], _ heard: [(search: TapedSearch, asked: Asked)]
  ) {
    for place in answers.indices {
      let target = answers[place].answer.target
      let last = heard.filter { $0.asked.target == target }.map(\.asked.number).max() ?? 0
      let known = answers.filter { $0.answer.target == target }.flatMap { $0.answer.replies.map(\.search) }.max() ?? 0
      if last > known { answers[place].answer.replies.append(Recorded.Answer.Reply(search: last, delays: [])) }
    }
  }

  /// The search that a response answers: of the socket that it went to, for its target or for all, the newest.
  private func question(
    _ message: TapedMessage, _ target: String, _ heard: [(search: TapedSearch, asked: Asked)]
  ) -> (asked: Asked, time: Instant)? {
    let open = heard.filter {
      $0.search.source == message.destination && $0.search.time <= message.time
        && message.time - $0.search.time <= .seconds(130)
    }
    let best =
      open.last { $0.search.target == target } ?? open.last { $0.search.target == "ssdp:all" } ?? open.last
    return best.map { ($0.asked, $0.search.time) }
  }

  // MARK: Oddities

  /// A datagram that no inhabitant sends by itself is written with its bytes.
  mutating func addOddity(_ message: TapedMessage) {
    result.rawCount += 1
    let isGroup = message.destination.address.isMulticast
    let to: Target =
      isGroup
      ? Target(.address(message.source.address.family == .v4 ? .ssdpGroup4 : .ssdpGroup6))
      : Target(.name("engine"), port: message.destination.port)
    oddities.append(
      (
        message.interface,
        ScriptSection.Line(
          at: at(message.time), payload: message.payload, to: to, from: message.source.address,
          sourcePort: message.source.port, ttl: Int(message.hopLimit))
      ))
  }
}
