import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

@Suite("Subscriptions to events") struct EventPublisherTests {
  /// A publisher that is asked by hand; streams that it opens have numbers from 101 on.
  private struct Asked {
    var events = EventPublisher()
    var outbox = Outbox(payloads: PayloadStore())
    var lastStream: UInt32 = 100
    let service = EventPublisher.Service(path: "/event", properties: [.init("Status", "0")])
    var delay = Interval.zero

    mutating func ask(_ request: EventRequest, at seconds: Int64 = 0, path: String = "/event") -> String {
      let publisher = EventPublisher.Publisher(
        sid: Asked.sid, product: "a UPnP/1.0 b", answerDelay: delay,
        interface: { $0.sharesPrefix(24, with: IPAddress(10, 0, 0, 1)) ? InterfaceID(3) : nil })
      var last = lastStream
      let response = events.answer(
        request, for: .init(path: path, properties: service.properties), by: publisher,
        nextStream: {
          last += 1
          return StreamID(last)
        }, at: .zero + .seconds(seconds))
      lastStream = last
      let fields = response.fields.filter { $0.name != "CONTENT-TYPE" }.map { "\($0.name)=\($0.value)" }
      return (["\(response.status)"] + fields).joined(separator: " ")
    }

    mutating func subscribe(_ url: String = "http://10.0.0.2:80/a", at seconds: Int64 = 0) -> String {
      ask(.subscribe(callbacks: [url], timeoutSeconds: nil), at: seconds)
    }

    mutating func advance(to time: Interval) -> [StreamEffect] {
      events.advance(to: .zero + time, into: &outbox)
      return taken()
    }
    mutating func give(_ signal: StreamSignal) -> [StreamEffect] {
      events.receive(signal, into: &outbox)
      return taken()
    }
    mutating func taken() -> [StreamEffect] {
      defer { outbox.removeAll() }
      return outbox.effects.compactMap { if case .streams(let effect) = $0 { effect } else { nil } }
    }
    static func sid(_ number: UInt64) -> String { "uuid:\(number)" }
  }

  private static let first = StreamID(101)

  @Test("a subscription is answered with its id and time, and then the first values are sent to the URL")
  func subscribes() {
    var asked = Asked()
    asked.delay = .seconds(1)
    expectEqual(asked.subscribe(), "200 SERVER=a UPnP/1.0 b SID=\(Asked.sid(1)) TIMEOUT=Second-1800")
    expectEqual(asked.events.deadline, .zero + .milliseconds(1_100))
    expectEqual(asked.advance(to: .milliseconds(1_099)), [])
    expectEqual(
      asked.advance(to: .milliseconds(1_100)),
      [.connect(EventPublisherTests.first, to: Endpoint(IPAddress(10, 0, 0, 2), port: 80), InterfaceID(3))])
    #expect(asked.events.owns(EventPublisherTests.first))
    let message = EventMessage(sid: Asked.sid(1), sequence: 0, properties: [.init("Status", "0")])
    let bytes = message.bytes(path: "/a", authority: "10.0.0.2:80", userAgent: "a UPnP/1.0 b")
    expectEqual(asked.give(.room(EventPublisherTests.first, byteCount: UInt32(bytes.count - 1))), [])
    expectEqual(
      asked.give(.room(EventPublisherTests.first, byteCount: UInt32(bytes.count))),
      [.write(EventPublisherTests.first, bytes)])
    expectEqual(asked.give(.room(EventPublisherTests.first, byteCount: 65_536)), [])
    expectEqual(asked.give(.bytes(EventPublisherTests.first, [1])), [])
    expectEqual(asked.give(.ended(EventPublisherTests.first, .finished)), [.finish(EventPublisherTests.first)])
    #expect(!asked.events.owns(EventPublisherTests.first))
    expectEqual(asked.events.deadline, .never)
  }

  @Test("a subscriber that does not answer within 30 s is given up, and one that refuses at once")
  func givesUp() {
    var asked = Asked()
    _ = asked.subscribe()
    _ = asked.subscribe()
    expectEqual(asked.advance(to: .milliseconds(100)).count, 2)
    expectEqual(asked.give(.ended(StreamID(102), .refused)), [])
    expectEqual(asked.events.deadline, .zero + .milliseconds(30_100))
    expectEqual(asked.advance(to: .milliseconds(30_100)), [.reset(EventPublisherTests.first)])
    expectEqual(asked.events.deadline, .never)
  }

  @Test("it is renewed and ended by its id, at the service that it belongs to, and it is over when its time is")
  func renews() {
    var asked = Asked()
    let sid = Asked.sid(1)
    expectEqual(
      asked.ask(.subscribe(callbacks: ["http://10.0.0.2/a"], timeoutSeconds: 300)),
      "200 SERVER=a UPnP/1.0 b SID=\(sid) TIMEOUT=Second-300")
    expectEqual(asked.ask(.renew(sid: "uuid:other", timeoutSeconds: 9)), "412")
    expectEqual(asked.ask(.renew(sid: sid, timeoutSeconds: 9), path: "/other"), "412")
    expectEqual(
      asked.ask(.renew(sid: sid, timeoutSeconds: 10), at: 299), "200 SERVER=a UPnP/1.0 b SID=\(sid) TIMEOUT=Second-10")
    expectEqual(
      asked.ask(.renew(sid: sid, timeoutSeconds: 0), at: 308), "200 SERVER=a UPnP/1.0 b SID=\(sid) TIMEOUT=Second-1")
    expectEqual(asked.ask(.renew(sid: sid, timeoutSeconds: 9), at: 309), "412")
    expectEqual(
      asked.ask(.subscribe(callbacks: ["http://10.0.0.2/a"], timeoutSeconds: 1_801), at: 310),
      "200 SERVER=a UPnP/1.0 b SID=\(Asked.sid(2)) TIMEOUT=Second-1800")
    expectEqual(asked.ask(.unsubscribe(sid: Asked.sid(2)), at: 311, path: "/other"), "412")
    expectEqual(asked.ask(.unsubscribe(sid: Asked.sid(2)), at: 311), "200")
    expectEqual(asked.ask(.unsubscribe(sid: Asked.sid(2)), at: 311), "412")
    expectEqual(asked.ask(.refused(status: 400)), "400")
  }

  @Test(
    "nothing is sent to another network, nor to what is no http URL with an address; the first URL that will do is taken"
  )
  func callbacks() {
    var asked = Asked()
    for url in ["http://10.0.1.2:80/", "https://10.0.0.2/", "http://host/", "ftp://10.0.0.2/", "10.0.0.2", ""] {
      expectEqual(asked.subscribe(url), "412", "\(url)")
    }
    expectEqual(asked.advance(to: .seconds(9)), [])
    let urls = ["http://10.0.1.2/", "http://10.0.0.9:81/x?y", "http://10.0.0.2/"]
    #expect(asked.ask(.subscribe(callbacks: urls, timeoutSeconds: nil)).hasPrefix("200"))
    expectEqual(
      asked.advance(to: .seconds(9)),
      [.connect(EventPublisherTests.first, to: Endpoint(IPAddress(10, 0, 0, 9), port: 81), InterfaceID(3))])
  }

  @Test("32 may subscribe, the 33rd may when one of them is over")
  func bounds() {
    var asked = Asked()
    for _ in 0..<32 { #expect(asked.subscribe().hasPrefix("200")) }
    expectEqual(asked.subscribe(), "503")
    expectEqual(asked.subscribe(at: 1_799), "503")
    #expect(asked.subscribe(at: 1_800).hasPrefix("200"))
  }

  @Test("a device that starts anew has no subscriptions, and ids are not used again")
  func resets() {
    var asked = Asked()
    _ = asked.subscribe()
    _ = asked.advance(to: .milliseconds(100))
    _ = asked.subscribe()
    asked.events.reset(into: &asked.outbox)
    expectEqual(asked.taken(), [.reset(EventPublisherTests.first)])
    expectEqual(asked.ask(.unsubscribe(sid: Asked.sid(1))), "412")
    expectEqual(asked.events.deadline, .never)
    #expect(asked.subscribe().contains(Asked.sid(3)))
  }
}
