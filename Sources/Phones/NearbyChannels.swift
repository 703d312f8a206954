import RollcallSessions

/// Streams and resources of one session: the numbers that its door knows them by.
struct NearbyChannels {
  struct Own {
    var number: Int
    var id: SessionChannelID
  }
  /// Those that this side began, from the time on at which the session has a name for them.
  private var own: [Own] = []
  /// What this side began: whether it is a stream.
  private var streams: [Int: Bool] = [:]
  private var incoming: [Own] = []
  private var incomingCount = 0

  mutating func begin(_ number: Int, isStream: Bool) { streams[number] = isStream }
  mutating func opened(_ number: Int, _ id: SessionChannelID) { own.append(Own(number: number, id: id)) }

  func isStream(_ number: Int) -> Bool? { streams[number] }
  func number(of id: SessionChannelID) -> Int? { (id.isIncoming ? incoming : own).first { $0.id == id }?.number }
  func incoming(_ number: Int) -> SessionChannelID? { incoming.first { $0.number == number }?.id }

  /// The other side has begun one.
  mutating func offered(_ id: SessionChannelID, isStream: Bool) -> Int {
    incomingCount += 1
    incoming.append(Own(number: incomingCount, id: id))
    if isStream { incomingStreams.append(incomingCount) }
    return incomingCount
  }
  private var incomingStreams: [Int] = []
  func isIncomingStream(_ number: Int) -> Bool { incomingStreams.contains(number) }

  mutating func ended(_ id: SessionChannelID) {
    guard let number = number(of: id) else { return }
    if id.isIncoming {
      incoming.removeAll { $0.id == id }
      incomingStreams.removeAll { $0 == number }
    } else {
      own.removeAll { $0.id == id }
      streams[number] = nil
    }
  }

  mutating func notOpened(_ number: Int) { streams[number] = nil }
}
