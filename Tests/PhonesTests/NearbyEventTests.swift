import MultipeerConnectivity
import RollcallDoors
import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallScenarios
import RollcallSessions
import RollcallWire
import Testing

@testable import RollcallPhones

/// What the machine of a phone tells of sessions and invitations, as doors hear it.
@Suite("Sessions and invitations of a phone, event by event") struct NearbyEventTests {
  private final class Door: NearbyDoor {
    private let events = Guarded<[NearbyEvent]>([])
    func push(_ event: NearbyEvent) { events.withLock { $0.append(event) } }
    /// Since the last call.
    func take() -> [NearbyEvent] { events.exchange([]) }
  }

  /// A device with objects, numbered from 1.
  private struct Rig {
    let device: SimulatedNearbyDevice
    let doors: [Door]

    init(_ roles: [NearbyRole], _ user: PhoneUser = PhoneUser()) {
      device = SimulatedNearbyDevice(
        name: "phone", seed: Seed(1), queues: DoorQueues(), policies: NearbySettings().doorPolicies, user: user)
      doors = roles.map { _ in Door() }
      for (door, role) in zip(doors, roles) { _ = device.attach(door, as: role) }
      for (place, role) in roles.enumerated() {
        if case .advertiser = role { ask(place + 1, .advertiser(.start(run: 1))) }
      }
      _ = device.takeSteps()
    }

    func ask(_ number: Int, _ requests: NearbyRequest...) {
      for request in requests { device.perform(request, for: NearbyNumber(number)) }
    }

    /// What doors hear since the last call, after the machine has told something.
    func told(_ events: PeerEvent..., at time: Instant = .zero) -> [[NearbyEvent]] {
      device.tell(events.map { NearbyBox.Told(event: $0, name: "Ben") }, at: time)
      return doors.map { $0.take() }
    }

    /// The commands that come of what was asked.
    var commands: [PeerCommand] {
      device.takeSteps().steps.compactMap { if case .command(let command) = $0 { command } else { nil } }
    }
  }

  private func key(_ name: String) -> PeerKey {
    PeerKey(identity: Array(name.utf8) + [UInt8](repeating: 0, count: 16 - name.utf8.count), name: name)
  }
  private var advertiser: NearbyRole { .advertiser(AdvertiserSetup(peer: key("Ada"), serviceType: "abc", info: nil)) }
  private var assistant: NearbyRole { .assistant(key("Ada")) }
  private var session: NearbyRole {
    .session(SessionSetup(peer: key("Ada"), certificates: nil, encryption: .required))
  }

  private func invited(_ number: Int, _ name: String, by advertiser: Int = 1) -> PeerEvent {
    .invited(
      advertiser: advertiser, invitation: number, from: PeerName(SessionPeerID(key(name)), name), context: nil)
  }
  private func present(_ number: Int, _ name: String) -> NearbyRequest {
    .assistant(.present(number, from: key(name), context: nil))
  }

  /// What is known of two channels of this side and three of the other one.
  private struct Known: Equatable {
    var own: [Int?]
    var streams: [Bool?]
    var incoming: [Int?]
    var incomingStreams: [Bool]
  }

  @Test("a channel has a number as long as it lasts, and the end of one changes nothing for the others")
  func channels() {
    func ids(_ numbers: ClosedRange<UInt32>, isIncoming: Bool) -> [SessionChannelID] {
      numbers.map { SessionChannelID(peer: SessionPeerID(high: 1, low: 2), number: $0, isIncoming: isIncoming) }
    }
    let (own, incoming) = (ids(1...2, isIncoming: false), ids(1...3, isIncoming: true))
    var channels = NearbyChannels()
    func known() -> Known {
      Known(
        own: own.map { channels.number(of: $0) }, streams: [7, 8].map { channels.isStream($0) },
        incoming: incoming.map { channels.number(of: $0) },
        incomingStreams: (1...3).map { channels.isIncomingStream($0) })
    }
    for (number, isStream) in [(7, true), (8, false)] { channels.begin(number, isStream: isStream) }
    for (number, id) in zip([7, 8], own) { channels.opened(number, id) }
    var offered: [Int] = []
    for (id, isStream) in zip(incoming, [true, false, true]) {
      offered.append(channels.offered(id, isStream: isStream))
    }
    expectEqual(offered, [1, 2, 3])
    expectEqual((1...3).compactMap { channels.incoming($0) }, incoming)
    var expected = Known(
      own: [7, 8], streams: [true, false], incoming: [1, 2, 3], incomingStreams: [true, false, true])
    expectEqual(known(), expected)
    for _ in 0..<2 { channels.ended(own[0]) }
    (expected.own, expected.streams) = ([nil, 8], [nil, false])
    expectEqual(known(), expected)
    channels.ended(incoming[0])
    (expected.incoming, expected.incomingStreams) = ([nil, 2, 3], [false, false, true])
    expectEqual(known(), expected)
    channels.notOpened(8)
    expected.streams = [nil, nil]
    expectEqual(known(), expected)
  }

  @Test("streams and resources are told under the numbers of their door, and each end once")
  func transfers() {
    let rig = Rig([session])
    let (ben, id) = (key("Ben"), SessionPeerID(key("Ben")))
    func channel(_ number: UInt32, isIncoming: Bool = false) -> SessionChannelID {
      SessionChannelID(peer: id, number: number, isIncoming: isIncoming)
    }
    for number in [7, 9] { rig.ask(1, .session(.openStream(number, name: "s", to: ben))) }
    for number in [8, 10] {
      let offer = ResourceOffer(number: number, name: "r", fileName: "f", byteCount: 9)
      rig.ask(1, .session(.startResource(offer, to: ben)))
    }
    _ = rig.commands
    // Two cannot be opened, which is told once, and two are open.
    let failed = [7, 8].map { PeerEvent.notOpened(session: 1, $0, .failed) }
    expectEqual(
      rig.told(failed[0], failed[1]),
      [[.session(.streamEnded(7, .multipeer(.unknown))), .session(.resourceSent(8, .multipeer(.unknown)))]])
    expectEqual(rig.told(failed[0], failed[1]), [[]])
    expectEqual(rig.told(.opened(session: 1, 9, channel(1)), .opened(session: 1, 10, channel(2))), [[]])
    expectEqual(
      rig.told(
        .session(1, .streamOpened(channel(1, isIncoming: true), name: "t")),
        .session(1, .resourceStarted(channel(2, isIncoming: true), name: "r", fileName: "f", byteCount: 4))),
      [
        [
          .session(.streamOffered(1, name: "t", from: ben)),
          .session(.resourceOffered(ResourceOffer(number: 2, name: "r", fileName: "f", byteCount: 4), from: ben)),
        ]
      ])
    // How much has come is of interest to its sender alone.
    expectEqual(
      rig.told(
        .session(1, .progress(channel(2), bytes: 5)), .session(1, .progress(channel(2, isIncoming: true), bytes: 3))),
      [[.session(.resourceTaken(10, byteCount: 5))]])
    let ends: [(SessionChannelID, SessionError?, NearbyEvent)] = [
      (channel(1), .cancelled, .session(.streamEnded(9, nil))), (channel(2), nil, .session(.resourceSent(10, nil))),
      (channel(1, isIncoming: true), nil, .session(.incomingStreamEnded(1, nil))),
      (channel(2, isIncoming: true), .failed, .session(.resourceReceived(2, .multipeer(.unknown)))),
    ]
    for (channel, error, event) in ends {
      let end = PeerEvent.session(1, .ended(channel, error))
      expectEqual(rig.told(end, end), [[event]])
    }
  }

  @Test("certificates are numbered from 1, and an answer is one to the peer of its number")
  func certificates() {
    let rig = Rig([session])
    let id = SessionPeerID(key("Ben"))
    expectEqual(
      rig.told(.session(1, .certificate(id, chain: [[1]])), .session(1, .certificate(id, chain: nil))),
      [
        [
          .session(.certificate(1, chain: [[1]], from: key("Ben"))),
          .session(.certificate(2, chain: nil, from: key("Ben"))),
        ]
      ])
    for _ in 0..<2 { rig.ask(1, .session(.answerCertificate(2, accepts: true))) }
    expectEqual(rig.commands, [.session(1, .decide(id, accepts: true))])
  }

  @Test("an invitation that was answered, or whose advertiser is gone, is open no more: nobody is asked about it")
  func openInvitations() {
    let rig = Rig([advertiser, advertiser, assistant])
    expectEqual(
      rig.told(invited(11, "Ben"), invited(12, "Cem"), invited(13, "Dan", by: 2)),
      [
        [
          .advertiser(.invited(run: 1, invitation: 11, from: key("Ben"), context: nil)),
          .advertiser(.invited(run: 1, invitation: 12, from: key("Cem"), context: nil)),
        ], [.advertiser(.invited(run: 1, invitation: 13, from: key("Dan"), context: nil))], [],
      ])
    rig.ask(3, present(1, "Ben"), present(2, "Cem"))
    expectEqual(rig.commands, [])
    expectEqual(rig.told(), [[], [], []])
    rig.ask(1, .advertiser(.answer(invitation: 11, session: nil)))
    expectEqual(rig.commands, [.answer(invitation: 11, session: nil)])
    expectEqual(rig.told(.invitationEnded(advertiser: 1, invitation: 11)), [[], [], []])
    expectEqual(
      rig.told(.invitationEnded(advertiser: 1, invitation: 12)), [[], [], [.assistant(.withdrawn(2))]])
    rig.device.detach(NearbyNumber(2))
    _ = rig.commands
    rig.ask(3, present(3, "Dan"))
    expectEqual(rig.commands, [])
    expectEqual(rig.told(), [[], [], [.assistant(.withdrawn(3))]])
  }

  @Test("an invitation that ends is withdrawn by the assistant that still shows it")
  func shownTwice() {
    let rig = Rig([advertiser, assistant, assistant])
    _ = rig.told(invited(21, "Ben"))
    rig.ask(2, present(1, "Ben"))
    rig.ask(3, present(5, "Ben"))
    rig.device.detach(NearbyNumber(2))
    _ = rig.commands
    expectEqual(
      rig.told(.invitationEnded(advertiser: 1, invitation: 21)), [[], [], [.assistant(.withdrawn(5))]])
  }

  @Test("an invitation that is dismissed is neither answered nor withdrawn, and all others are")
  func dismissed() {
    var user = PhoneUser()
    (user.answer, user.answerDelay) = (.accept, .seconds(5))
    let rig = Rig([advertiser, assistant, assistant], user)
    _ = rig.told(invited(21, "Ben"), invited(22, "Cem"), invited(23, "Dan"))
    rig.ask(2, present(1, "Ben"), present(2, "Cem"))
    rig.ask(3, present(1, "Dan"))
    rig.ask(2, .assistant(.dismiss(1)))
    expectEqual(rig.commands, [])
    expectEqual(
      rig.told(at: .zero + .seconds(5)),
      [[], [.assistant(.answered(2, accepts: true))], [.assistant(.answered(1, accepts: true))]])
    let ends = (21...23).map { PeerEvent.invitationEnded(advertiser: 1, invitation: $0) }
    expectEqual(
      rig.told(ends[0], ends[1], ends[2]), [[], [.assistant(.withdrawn(2))], [.assistant(.withdrawn(1))]])
  }
}
