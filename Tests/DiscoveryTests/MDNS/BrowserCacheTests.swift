import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

@Suite("A browser finds, keeps and loses")
struct BrowserCacheTests {
  private let type = "_http._tcp.local"
  private let name = "Shop._http._tcp.local"
  private let found = "found Shop._http._tcp.local shop.local:80 a=1 192.168.1.20/if0"

  @Test("a service is found with its host, port, text and addresses, whatever the order of its records (MD-54) (MD-56)")
  func whole() {
    for records in [shop(), shop().reversed(), shop().shuffledOnce()] {
      var bench = BrowserBench()
      bench.tell(records)
      expectEqual(bench.told(), [found])
      expectEqual(bench.browser.present.map(\.text), [found.dropFirst(6).description])
      bench.tell(records)
      expectEqual(bench.told(), [])
      expectEqual(bench.browser.brokenInvariants, [])
      expectEqual(bench.browser.recordCount, 4)
    }
  }

  @Test("a service without text, host or address is not found (MD-56)")
  func parts() {
    for missing in 0..<4 {
      var bench = BrowserBench()
      var records = shop()
      let last = records.remove(at: missing)
      bench.tell(records)
      expectEqual(bench.told(), [], "\(missing)")
      bench.tell(missing == 0 ? shop() : [last] + (missing == 1 ? [a("shop.local", "192.168.1.20")] : []))
      expectEqual(bench.told(), [found], "\(missing)")
    }
  }

  @Test("what changes is told: port, text, addresses of both families (MD-43)")
  func changes() {
    var bench = BrowserBench()
    bench.tell(shop())
    bench.run(seconds: 5)
    _ = bench.told()
    bench.tell([
      srv(name, 81, "shop.local"), txt(name, "a=2"), a("shop.local", "192.168.1.20"), a("shop.local", "fe80::1"),
    ])
    expectEqual(
      bench.told(),
      [
        "changed \(name) shop.local:81 a=2 192.168.1.20/if0 fe80::1/if0, was \(name) shop.local:80 a=1 192.168.1.20/if0"
      ])
    bench.run(seconds: 2)
    expectEqual(bench.told(), [])
    expectEqual(bench.browser.recordCount, 5)
  }

  @Test("a goodbye ends a service after 1 s; said again within that second, it stays (MD-42)")
  func goodbye() {
    var bench = BrowserBench()
    bench.tell(shop())
    _ = bench.told()
    bench.tell([ptr(type, name, ttl: 0)])
    bench.run(999)
    expectEqual(bench.told(), [])
    var rescued = bench
    rescued.tell([ptr(type, name)])
    rescued.run(seconds: 100)
    expectEqual(rescued.told().filter { $0.contains("byebye") }, [])
    bench.run(1)
    expectEqual(bench.told(), ["lost \(name) byebye"])
    expectEqual(bench.browser.recordCount, 0)
    // A goodbye to what is not known is nothing.
    bench.tell([ptr(type, name, ttl: 0), txt(name, "x", ttl: 0)])
    expectEqual(bench.browser.recordCount, 0)
    expectEqual(bench.told(), [])
  }

  @Test("a host that falls silent is lost when its TTL is over, not before (MD-41)")
  func silence() {
    var bench = BrowserBench()
    bench.tell(shop())
    bench.run(until: Instant(nanoseconds: 120_000_000_000 - 1))
    expectEqual(bench.told(), [found])
    bench.run(until: .zero + .seconds(120))
    expectEqual(bench.told(), ["lost \(name) expired"])
    // The pointer still holds: it is asked for on, and found again.
    bench.tell([srv(name, 80, "shop.local"), a("shop.local", "192.168.1.20")])
    expectEqual(bench.told(), [found])
    bench.run(seconds: 5_000)
    expectEqual(bench.told(), ["lost \(name) expired"])
    expectEqual(bench.browser.recordCount, 0)
  }

  @Test("a host of both families that falls silent is lost, and not first moved to the other family")
  func bothFamilies() {
    var bench = BrowserBench()
    bench.tell(shop() + [a("shop.local", "fe80::1")])
    bench.run(seconds: 200)
    expectEqual(bench.told(), [found + " fe80::1/if0", "lost \(name) expired"])
    expectEqual(bench.browser.brokenInvariants, [])
  }

  @Test("the flush bit ends in 1 s what is more than 1 s old, and nothing younger (MD-43)")
  func flush() {
    for (age, isKept) in [(Interval.seconds(1), true), (.seconds(1) + .nanoseconds(1), false)] {
      var bench = BrowserBench()
      bench.tell(shop())
      _ = bench.told()
      bench.run(until: .zero + age)
      bench.tell([a("shop.local", "192.168.1.21")])
      let both = "\(name) shop.local:80 a=1 192.168.1.20/if0 192.168.1.21/if0"
      expectEqual(bench.told(), ["changed \(both), was \(found.dropFirst(6))"])
      bench.run(999)
      expectEqual(bench.told(), [])
      bench.run(seconds: 2)
      expectEqual(bench.told(), isKept ? [] : ["changed \(name) shop.local:80 a=1 192.168.1.21/if0, was \(both)"])
    }
  }

  @Test("without the flush bit, or with another type or name, nothing is replaced (MD-43)")
  func noFlush() {
    var bench = BrowserBench()
    bench.tell(shop())
    bench.run(seconds: 2)
    _ = bench.told()
    bench.tell([a("shop.local", "192.168.1.21", flush: false), a("shop.local", "fe80::1")])
    // Pointers are shared, whatever a stranger says.
    var pointer = ptr(type, "Other._http._tcp.local")
    pointer.isCacheFlush = true
    bench.tell([pointer], from: Endpoint(IPAddress(192, 168, 1, 66), port: 5_353))
    bench.run(seconds: 3)
    expectEqual(
      bench.browser.present.map(\.text), ["\(name) shop.local:80 a=1 192.168.1.20/if0 192.168.1.21/if0 fe80::1/if0"])
  }

  @Test("after a hint of failure two queries are sent, and what is not answered in 10 s is gone (MD-45)")
  func failureHint() throws {
    var bench = BrowserBench()
    bench.tell(shop())
    bench.run(seconds: 10)
    _ = (bench.told(), bench.said())
    bench.browser.reconfirm(try ServiceInstanceName("Shop", web), at: bench.now)
    var answered = bench
    bench.run(9_999)
    expectEqual(bench.told(), [])
    expectEqual(bench.asked().filter { $0.contains("SRV") }.count, 2)
    bench.run(1)
    expectEqual(bench.told(), ["lost \(name) expired"])
    answered.run(500)
    answered.tell(shop())
    answered.run(seconds: 60)
    expectEqual(answered.told(), [])
  }

  @Test("the queries of a browse wait after a hint: gaps between questions for one thing still double (MD-05)")
  func hintBesideBrowse() throws {
    var bench = BrowserBench()
    bench.tell(shop())
    bench.run(14_500)
    _ = bench.said()
    bench.browser.reconfirm(try ServiceInstanceName("Shop", web), at: bench.now)
    bench.run(seconds: 40)
    let asked = zip(bench.times, bench.messages).filter { $1.questions.contains { $0.type == .ptr } }.map { $0.0 }
    let gaps = zip(asked, asked.dropFirst()).map { $1 - $0 }
    expectEqual(gaps, [.seconds(2), .seconds(4), .seconds(16)])
    expectEqual(bench.browser.brokenInvariants, [])
  }

  @Test("two queries of others that nobody answers are a hint of failure, one is not (MD-46)")
  func observation() {
    for (count, isLost) in [(1, false), (2, true)] {
      var bench = BrowserBench()
      bench.tell(shop())
      bench.run(seconds: 5)
      _ = bench.told()
      for _ in 0..<count {
        bench.ask(name, .srv)
        bench.run(seconds: 2)
      }
      _ = bench.asked()
      bench.run(7_999)
      expectEqual(bench.told(), [])
      expectEqual(bench.asked().filter { !$0.contains("PTR") }, [], "nothing is asked because of it")
      bench.run(1)
      expectEqual(bench.told(), isLost ? ["lost \(name) expired"] : [])
    }
  }

  @Test("a query that comes by both families is one, and what it asks twice is asked once (MD-46)")
  func copies() {
    for (milliseconds, isLost) in [(0, false), (9, false), (10, true)] as [(Int64, Bool)] {
      var bench = BrowserBench()
      bench.tell(shop())
      bench.run(seconds: 5)
      _ = bench.told()
      bench.ask(name, .srv)
      bench.run(milliseconds)
      bench.ask(name, .srv, from: IPAddress("fe80::7")!)
      bench.run(seconds: 20)
      expectEqual(bench.told(), isLost ? ["lost \(name) expired"] : [], "\(milliseconds) ms")
    }
    var bench = BrowserBench()
    bench.tell(shop())
    bench.run(seconds: 5)
    _ = bench.told()
    let question = DNSQuestion(DNSName(name)!, .srv, wantsUnicast: false)
    bench.hear(
      DNSMessage(flags: .query, questions: [question, question]).bytes,
      from: Endpoint(IPAddress(192, 168, 1, 7), port: 5_353))
    bench.run(seconds: 20)
    expectEqual(bench.told(), [])
  }

  @Test("a query is no hint where no multicast answer is due, and an answer takes a hint back (MD-46)")
  func answersNotDue() {
    var bench = BrowserBench()
    bench.tell(shop())
    // Within a second of the last answer nobody may repeat it.
    for _ in 0..<3 {
      bench.run(333)
      bench.ask(name, .srv)
    }
    bench.run(1)
    bench.ask(name, .srv)
    bench.run(seconds: 20)
    expectEqual(bench.told(), [found])
    // The asker knows it, wants an answer by unicast, or asks from another port.
    for _ in 0..<3 {
      bench.ask(name, .srv, known: [srv(name, 80, "shop.local")])
      bench.ask(name, .srv, wantsUnicast: true)
      bench.ask(name, .srv, port: 5_354)
    }
    bench.run(seconds: 20)
    expectEqual(bench.told(), [])
    // That was the second one; an answer in time is the end of both.
    bench.ask(name, .srv)
    bench.run(9_999)
    bench.tell(shop())
    bench.run(seconds: 1)
    bench.ask(name, .srv)
    bench.run(seconds: 20)
    expectEqual(bench.told(), [])
  }

  @Test("a host that asks for its own records does not answer itself, and that is no hint (MD-46)")
  func ownQueries() {
    let (second, stranger) = (IPAddress(192, 168, 1, 21), IPAddress(192, 168, 1, 22))
    for (asker, isLost) in [(BrowserBench.host.address, false), (second, false), (stranger, true)] {
      for (owner, kind) in [(type, DNSType.ptr), (name, .srv), (name, .txt), ("shop.local", .a)] {
        var bench = BrowserBench()
        bench.tell(shop() + [a("shop.local", second.description)])
        bench.run(seconds: 2)
        _ = bench.told()
        for _ in 0..<2 { bench.ask(owner, kind, from: asker) }
        bench.run(seconds: 20)
        expectEqual(bench.told().prefix(1).map { $0.hasPrefix("lost") }, isLost ? [true] : [], "\(asker) \(kind)")
      }
    }
  }

  @Test("what others asked for in vain is no known answer, so that our own query can bring it back (MD-46)")
  func doubtedPointer() {
    var bench = BrowserBench()
    let pointer = DNSRecord(DNSName(type)!, .ptr(DNSName(name)!), ttlSeconds: 15)
    bench.tell([pointer, txt(name, ""), srv(name, 80, "shop.local"), a("shop.local", "192.168.1.20")])
    bench.run(seconds: 1)
    func known() -> [UInt32] {
      bench.browser.knownAnswers(RecordCache.Key(link: 0, name: pointer.name, type: .ptr), at: bench.now).map(
        \.ttlSeconds)
    }
    bench.ask(type, .ptr)
    expectEqual(known(), [14])
    bench.ask(type, .ptr)
    expectEqual(known(), [])
  }

  @Test("what comes straight from off the link is refused (MD-03)")
  func offLink() {
    var bench = BrowserBench()
    let own = Endpoint(IPAddress(192, 168, 1, 9), port: 5_353)
    bench.tell(shop(), from: Endpoint(IPAddress(192, 168, 2, 20), port: 5_353), to: own)
    expectEqual(bench.takeRejections(), ["wrongInterface at 0"])
    expectEqual(bench.told(), [])
    bench.tell(shop(), to: own)
    expectEqual(bench.told(), [found])
  }

  @Test("a response from another port, with an error, or a query with answers is no answer (MD-51)")
  func noAnswers() {
    var bench = BrowserBench()
    bench.tell(shop(), from: Endpoint(IPAddress(192, 168, 1, 20), port: 5_354))
    for raw in [0x8403, 0x8C00, 0x0000] as [UInt16] {
      bench.hear(DNSMessage(flags: DNSFlags(rawValue: raw), answers: shop()).bytes)
    }
    expectEqual(bench.told(), [])
    expectEqual(bench.browser.recordCount, 0)
    expectEqual(bench.takeRejections(), [])
    bench.hear([1, 2, 3])
    expectEqual(bench.takeRejections(), ["badPacket at 3"])
  }

  @Test("what is known of a link goes with it, and the link is asked anew with QU (MD-44) (MD-08)")
  func linkLost() {
    var bench = BrowserBench()
    bench.tell(shop())
    bench.run(seconds: 20)
    _ = (bench.told(), bench.said())
    bench.down()
    expectEqual(bench.told(), ["lost \(name) interface"])
    expectEqual(bench.browser.recordCount, 0)
    expectEqual(bench.browser.questionCount, 0)
    bench.run(seconds: 20)
    expectEqual(bench.said(), [])
    bench.up()
    bench.run(120)
    expectEqual(bench.asked().map { $0.drop { $0 != " " } }, [" \(type) PTR QU"])
  }

  @Test("on another network, the link never being down, what is known is gone and asked for anew with QU (MD-08)")
  func linkMoves() {
    var bench = BrowserBench()
    bench.tell(shop())
    bench.run(seconds: 20)
    _ = (bench.told(), bench.said())
    bench.up(0, "192.168.2.9")
    expectEqual(bench.told(), ["lost \(name) interface"])
    expectEqual(bench.browser.recordCount, 0)
    expectEqual(bench.browser.questionCount, 1)
    bench.run(120)
    expectEqual(bench.asked().map { $0.drop { $0 != " " } }, [" \(type) PTR QU"])
    bench.tell(shop(80, "a=1", "192.168.2.20"), from: Endpoint(IPAddress(192, 168, 2, 20), port: 5_353))
    expectEqual(bench.told(), ["found \(name) shop.local:80 a=1 192.168.2.20/if0"])
    expectEqual(bench.browser.brokenInvariants, [])
  }

  @Test("a link with one more address, or with another one of its subnet, keeps what is known and asks nothing")
  func linkStays() {
    var bench = BrowserBench()
    bench.tell(shop())
    bench.run(seconds: 20)
    _ = (bench.told(), bench.said())
    let two = ["192.168.1.9", "192.168.2.9"].map { InterfaceAddress(IPAddress($0)!, prefixBits: 24) }
    bench.give(.interface(InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: two)))
    bench.up(0, "192.168.1.77")
    expectEqual(bench.told(), [])
    expectEqual(bench.browser.recordCount, 4)
    bench.run(120)
    expectEqual(bench.said(), [])
  }

  @Test("each link is known for itself; a service on two of them is one, with the addresses of both (MD-47)")
  func twoLinks() {
    var bench = BrowserBench()
    bench.up(1, "10.0.0.9")
    let other = Endpoint(IPAddress(10, 0, 0, 20), port: 5_353)
    bench.tell(shop())
    bench.tell([ptr(type, name)], from: other, on: 1)
    expectEqual(bench.told(), [found])
    bench.tell(shop(80, "a=1", "10.0.0.20"), from: other, on: 1)
    let both = "\(name) shop.local:80 a=1 192.168.1.20/if0 10.0.0.20/if1"
    expectEqual(bench.told(), ["changed \(both), was \(found.dropFirst(6))"])
    bench.down(0)
    expectEqual(bench.told(), ["changed \(name) shop.local:80 a=1 10.0.0.20/if1, was \(both)"])
    bench.down(1)
    expectEqual(bench.told(), ["lost \(name) interface"])
  }

  @Test("names in another letter case are the same (MD-49)")
  func letterCase() {
    var bench = BrowserBench()
    bench.tell(shop())
    bench.tell([ptr("_HTTP._tcp.local", "SHOP._http._TCP.local"), a("Shop.Local", "192.168.1.20")])
    expectEqual(bench.told(), [found])
    expectEqual(bench.browser.recordCount, 4)
  }

  @Test("an instance of another type, or with a name that is none, is refused (MD-54)")
  func badNames() {
    var bench = BrowserBench()
    bench.tell([ptr(type, "Shop._ipp._tcp.local")])
    bench.tell([ptr(type, "local")])
    bench.tell([DNSRecord(DNSName(type)!, .ptr(ServiceType.bad), ttlSeconds: 10)])
    expectEqual(bench.takeRejections(), ["badTarget at 0", "badTarget at 0", "badTarget at 0"])
    expectEqual(bench.browser.recordCount, 0)
  }

  @Test("the instances of a subtype are found by their plain names (MD-62)")
  func subtype() {
    var bench = BrowserBench([])
    bench.give(.command(.browse(.type("_color._sub._http._tcp"))))
    bench.run(120)
    expectEqual(bench.asked().map { $0.drop { $0 != " " } }, [" _color._sub.\(type) PTR QU"])
    bench.tell(shop())
    expectEqual(bench.told(), [])
    bench.tell([ptr("_color._sub.\(type)", name)] + shop().dropFirst())
    expectEqual(bench.told(), [found])
  }

  @Test("records of strangers are not kept, and a flood stays within its bounds and is refused with a reason")
  func bounds() {
    var policy = BrowserPolicy()
    (policy.recordsMaximum, policy.recordsPerSender, policy.recordsPerName) = (20, 8, 3)
    var bench = BrowserBench(policy: policy)
    bench.tell([srv("Nobody._http._tcp.local", 1, "x.local"), a("x.local", "10.0.0.1"), txt("x.local", "y")])
    expectEqual(bench.browser.recordCount, 0)
    expectEqual(bench.takeRejections(), [])
    func source(_ number: UInt8) -> Endpoint { Endpoint(IPAddress(192, 168, 1, number), port: 5_353) }
    // Of one name.
    bench.tell(shop(), from: source(1))
    for number in 2...4 { bench.tell([a("shop.local", "192.168.9.\(number)")], from: source(1)) }
    expectEqual(bench.takeRejections(), ["overDevice at 0"])
    expectEqual(bench.browser.recordCount, 6)
    // Of one sender: two more.
    for number in 0..<4 { bench.tell([ptr(type, "Flood \(number)._http._tcp.local")], from: source(1)) }
    expectEqual(bench.takeRejections(), ["overSource at 0", "overSource at 0"])
    expectEqual(bench.browser.recordCount, 8)
    // Of all.
    for number in 0..<20 {
      bench.tell([ptr(type, "Flood of all \(number)._http._tcp.local")], from: source(UInt8(100 + number)))
    }
    expectEqual(bench.browser.recordCount, 20)
    expectEqual(bench.takeRejections(), Array(repeating: "overTotal at 0", count: 8))
    // What is known is still renewed, and all of it ends.
    bench.tell(shop(), from: source(1))
    expectEqual(bench.takeRejections(), [])
    bench.run(seconds: 10_000)
    expectEqual(bench.browser.recordCount, 0)
    expectEqual(bench.browser.questionCount, 1)
    expectEqual(bench.browser.brokenInvariants, [])
  }

  @Test("stopped, it loses what it found and hears no more")
  func stop() {
    var bench = BrowserBench()
    bench.tell(shop())
    bench.give(.command(.stop))
    expectEqual(bench.told(), [found, "lost \(name) stopped"])
    bench.tell(shop())
    bench.run(seconds: 10)
    expectEqual(bench.said(), [])
    expectEqual(bench.told(), [])
    expectEqual(bench.others.last, "leave 224.0.0.251:5353 if0")
  }

  @Test("a record that was renewed by somebody else counts for the sender who said it last")
  func senders() {
    var policy = BrowserPolicy()
    policy.recordsPerSender = 4
    var bench = BrowserBench(policy: policy)
    bench.tell(shop())
    bench.tell(shop(), from: Endpoint(IPAddress(192, 168, 1, 21), port: 5_353))
    bench.tell([ptr(type, "New._http._tcp.local")])
    expectEqual(bench.takeRejections(), [])
    expectEqual(bench.browser.brokenInvariants, [])
  }
}

extension ServiceType {
  /// An instance whose label has a control character.
  fileprivate static let bad = DNSName("a\\007b._http._tcp.local")!
}

extension Array {
  /// Another order of four.
  fileprivate func shuffledOnce() -> [Element] { [2, 0, 3, 1].map { self[$0] } }
}
