import Dispatch
import Foundation
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

/// The nearby side of a phone between its doors and its machine, which the test plays.
@Suite("The nearby side of a phone, call by call") struct NearbyDeviceTests {
  private final class Door: NearbyDoor {
    private let events = Guarded<[NearbyEvent]>([])
    func push(_ event: NearbyEvent) { events.withLock { $0.append(event) } }
    /// Since the last call.
    func take() -> [NearbyEvent] { events.exchange([]) }
  }

  private func makeDevice(_ user: PhoneUser = PhoneUser(), queues: DoorQueues = DoorQueues()) -> SimulatedNearbyDevice {
    SimulatedNearbyDevice(
      name: "phone", seed: Seed(1), queues: queues, policies: NearbySettings().doorPolicies, user: user)
  }

  /// A peer with an identity of 16 bytes.
  private func key(_ name: String) -> PeerKey {
    PeerKey(identity: Array(name.utf8) + [UInt8](repeating: 0, count: 16 - name.utf8.count), name: name)
  }
  /// One with an identity of another length, as an archive may have it.
  private func oldKey(_ name: String) -> PeerKey { PeerKey(identity: Array(name.utf8), name: name) }

  private func time(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  /// The steps for an object that is gone: they do not depend on its kind.
  private func gone(_ number: Int) -> [NearbyBox.Step] {
    [.command(.stopAdvertising(number)), .command(.stopBrowsing(number)), .command(.closeSession(number))]
  }

  /// The machine tells something at the start, of somebody with a name.
  private func tell(_ device: SimulatedNearbyDevice, _ events: PeerEvent..., by name: String? = nil) {
    device.tell(events.map { NearbyBox.Told(event: $0, name: name) }, at: .zero)
  }

  private func advertiserRole(_ peer: PeerKey) -> NearbyRole {
    .advertiser(AdvertiserSetup(peer: peer, serviceType: "abc", info: nil))
  }
  private func sessionRole(_ peer: PeerKey) -> NearbyRole {
    .session(SessionSetup(peer: peer, certificates: nil, encryption: .required))
  }

  @Test("objects are numbered from 1, and an identity is made of the seed, the phone and its number")
  func numbers() {
    let device = makeDevice()
    let numbers = (1...3).map { _ in device.attach(Door(), as: .assistant(key("Ada"))).value }
    expectEqual(numbers, [1, 2, 3])
    let identities = ["nearby/phone/1", "nearby/phone/2"].map { name -> [UInt8] in
      var draws = Seed(1).stream(name)
      return SessionPeerID(high: draws.next(), low: draws.next()).bytes
    }
    expectEqual([device.makeIdentity(), device.makeIdentity()], identities)
  }

  @Test("a phone comes to the network with its first object, unless it has left, and then says what it does at once")
  func arrivals() {
    func steps(_ before: (SimulatedNearbyDevice) -> Void) -> [NearbyBox.Step] {
      let device = makeDevice()
      before(device)
      expectEqual(device.takeSteps().steps, [])
      _ = device.attach(Door(), as: .assistant(key("Ada")))
      return device.takeSteps().steps
    }
    expectEqual(steps { _ in }, [.act(.appear)])
    expectEqual(steps { $0.leave() }, [])
    expectEqual(steps { $0.vanish() }, [])
    let returned = steps { device in
      device.leave()
      device.appear()
    }
    expectEqual(returned, [.act(.appear)])
    expectEqual(steps { $0.setBackground(true) }, [.act(.appear), .command(.background(true))])
    let device = makeDevice()
    _ = device.attach(Door(), as: .assistant(key("Ada")))
    _ = device.takeSteps()
    device.leave()
    device.appear()
    for _ in 0..<2 { device.setBackground(true) }
    device.vanish()
    let acts: [NearbyBox.Step] = [.act(.leave), .act(.appear), .command(.background(true)), .act(.vanish)]
    expectEqual(device.takeSteps().steps, acts + gone(1))
  }

  @Test("an object that is gone hears nothing more, and nobody does anything on its screen")
  func objectsGone() {
    func check(
      _ end: (SimulatedNearbyDevice, NearbyNumber) -> Void, steps: [NearbyBox.Step], due: Instant,
      events: [[BrowserViewEvent]]
    ) {
      let device = makeDevice()
      let doors = [Door(), Door()]
      let numbers = doors.map { device.attach($0, as: .browserView(key("Ada"))) }
      let screen = BrowserScreen(rows: [], isDoneEnabled: false, canInvite: false)
      device.perform(.browserView(.present(screen)), for: numbers[0])
      _ = device.takeSteps()
      device.person { $0.pressCancel(after: .seconds(1), at: $1) }
      end(device, numbers[0])
      expectEqual(device.takeSteps().steps, steps)
      expectEqual(device.nextDue(), due)
      device.tell([], at: time(1))
      device.push(numbers.map { (object: $0, event: NearbyEvent.browserView(.done)) })
      expectEqual(doors.map { $0.take() }, events.map { $0.map { NearbyEvent.browserView($0) } })
    }
    check({ _, _ in }, steps: [], due: time(1), events: [[.cancelled, .done], [.done]])
    check({ $0.detach($1) }, steps: gone(1), due: .never, events: [[], [.done]])
    check({ device, _ in device.endApplications() }, steps: gone(1) + gone(2), due: .never, events: [[], []])
  }

  @Test("the driver of a phone is told each time that the phone is asked for something")
  func whenAsked() throws {
    let device = makeDevice()
    let page = try #require(URL(string: "http://a/b"))
    let count = Guarded(0)
    device.whenAsked { count.withLock { $0 += 1 } }
    let number = device.attach(Door(), as: .browserView(key("Ada")))
    device.perform(.browserView(.dismiss), for: number)
    device.fetch(page) { _ in }
    device.person { _, _ in }
    device.detach(number)
    expectEqual(count.current, 5)
  }

  @Test("a page comes after its delay, and where there is none that is said at once")
  func pages() throws {
    let device = makeDevice()
    let told = Guarded<[String]>([])
    let page = try #require(URL(string: "http://a/b"))
    let nowhere = try #require(URL(string: "http://a/c"))
    func fetch(_ url: URL) {
      device.fetch(url) { result in
        let words = (try? result.get()).map { "\($0)" } ?? "nothing"
        told.withLock { $0.append(words) }
      }
    }
    device.setPage([1, 2], at: page, after: .seconds(2))
    device.tell([], at: time(1))
    #expect(!device.takeSteps().isBusy)
    fetch(page)
    #expect(device.takeSteps().isBusy)
    expectEqual(device.nextDue(), time(3))
    #expect(!device.takeSteps().isBusy)
    fetch(nowhere)
    #expect(device.takeSteps().isBusy)
    expectEqual(device.nextDue(), time(1))
    // It is due, so that the phone has to be told the time once more.
    #expect(device.takeSteps().isBusy)
    device.tell([], at: time(1))
    expectEqual(told.takeAll(), ["nothing"])
    #expect(!device.takeSteps().isBusy)
    device.tell([], at: time(3))
    expectEqual(told.takeAll(), ["[1, 2]"])
  }

  @Test("where an application has several queues they are empty before the next event comes; one is not waited for")
  func queues() {
    let queues = DoorQueues()
    let device = makeDevice(queues: queues)
    let number = device.attach(Door(), as: .browserView(key("Ada")))
    let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
    for queue in [first, second] { queues.add(queue) }
    // A queue without a user stays until somebody has waited for it.
    queues.remove(second)
    device.push([(object: number, event: .browserView(.done))])
    expectEqual(queues.count, 1)
    queues.remove(first)
    device.push([(object: number, event: .browserView(.done))])
    expectEqual(queues.count, 1)
  }

  @Test("a peer has the key that an application used for it, in each kind of request")
  func keys() {
    let device = makeDevice()
    let door = Door()
    let session = device.attach(door, as: sessionRole(oldKey("Ada")))
    let advertiser = device.attach(Door(), as: advertiserRole(oldKey("Ben")))
    let browser = device.attach(Door(), as: .browser(BrowserSetup(peer: oldKey("Cem"), serviceType: "abc")))
    let invitation = Invitation(peer: oldKey("Dan"), session: session, context: nil, timeoutNanoseconds: nil)
    device.perform(.advertiser(.start(run: 1)), for: advertiser)
    device.perform(.browser(.start(run: 1)), for: browser)
    device.perform(.browser(.invite(invitation)), for: browser)
    device.perform(.session(.connectionData(1, for: oldKey("Eve"))), for: session)
    device.perform(.session(.connect(oldKey("Flo"), connectionData: [1])), for: session)
    _ = device.takeSteps()
    let known = ["Ada", "Ben", "Cem", "Dan", "Eve", "Flo"].map { oldKey($0) }
    let stranger = SessionPeerID(oldKey("Gus"))
    for peer in known.map({ SessionPeerID($0) }) + [stranger] {
      tell(device, .session(session.value, .state(peer, .connected)))
    }
    let told = known + [PeerKey(identity: stranger.bytes, name: "peer")]
    expectEqual(door.take(), told.map { NearbyEvent.session(.state($0, .connected)) })
    // One that tells another name keeps its identity.
    tell(device, .session(session.value, .state(SessionPeerID(oldKey("Ada")), .connected)), by: "Eva")
    expectEqual(
      door.take(), [.session(.state(PeerKey(identity: oldKey("Ada").identity, name: "Eva"), .connected))])
  }

  @Test("what the machine tells goes to the run that goes on, and to nobody before it or behind its end")
  func runs() {
    let device = makeDevice()
    let doors = [Door(), Door()]
    let advertiser = device.attach(doors[0], as: advertiserRole(key("Ada")))
    let browser = device.attach(doors[1], as: .browser(BrowserSetup(peer: key("Ada"), serviceType: "abc")))
    func told() -> [[NearbyEvent]] {
      tell(device, .advertisingFailed(advertiser.value, .unavailable), .browsingFailed(browser.value, .failed))
      return doors.map { $0.take() }
    }
    expectEqual(told(), [[], []])
    device.perform(.advertiser(.start(run: 3)), for: advertiser)
    device.perform(.browser(.start(run: 4)), for: browser)
    _ = device.takeSteps()
    expectEqual(
      told(),
      [
        [.advertiser(.failed(run: 3, .multipeer(.unavailable)))], [.browser(.failed(run: 4, .multipeer(.unknown)))],
      ])
    device.perform(.advertiser(.stop(run: 3)), for: advertiser)
    device.perform(.browser(.stop(run: 4)), for: browser)
    expectEqual(device.takeSteps().steps, [.command(.stopAdvertising(1)), .command(.stopBrowsing(2))])
    expectEqual(told(), [[], []])
  }
}
