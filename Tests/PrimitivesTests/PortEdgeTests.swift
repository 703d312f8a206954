import RollcallExpectations
import RollcallPrimitives
import Testing

/// Numbers of ports and words of their values: a trace that was written once is read for ever.
@Suite("Edges of ports") struct PortEdgeTests {
  @Test("the ports have the numbers that traces were written with")
  func numbers() {
    let all: [PortNumber] = [.lan, .host, .application, .streams, .radio, .store, .process]
    expectEqual(all.map(\.number), [0, 1, 2, 3, 4, 5, 6])
  }

  @Test("a value takes its words and no more, and a channel is one of forty")
  func words() throws {
    let stop = try RadioEffect(text: "stop-scan")
    expectEqual(stop, .stopScan)
    #expect(throws: WordError.self) { try RadioEffect(text: "stop-scan now") }
    let heard = try RadioSignal(text: "heard ch39 -40 1 a")
    expectEqual(heard, .heard(RadioPDU(channel: 39, strength: -40, accessAddress: 1, bytes: [97])))
    #expect(throws: WordError.self) { try RadioSignal(text: "heard ch40 -40 1 a") }
  }

  @Test("an address of Bluetooth has six bytes of two digits and says what it is")
  func addresses() {
    let good = "c0:ff:ee:00:00:01"
    expectEqual(RadioAddress(good + "/random"), RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true))
    expectEqual(RadioAddress(good + "/public"), RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: false))
    let bare = ["", good, good + "/", good + "/secret", good + ":02/random", good + "/public/"]
    for bad in bare + ["c0:ff:ee:00:00/public", "c0::ff:ee:00:00:01/public"] {
      expectEqual(RadioAddress(bad), nil, "\(bad)")
    }
    for bad in ["c0:ff:ee:00:00:1/public", "c0:ff:ee:00:00:001/public", "c0:ff:ee:00:00:xx/public"] {
      expectEqual(RadioAddress(bad), nil, "\(bad)")
    }
  }

  @Test("values of ports are found in a set again, each once")
  func sets() {
    let one = AnyPortValue(RadioEffect.stopScan)
    let other = AnyPortValue(RadioEffect.stopAdvertising(set: 1))
    #expect(one == AnyPortValue(RadioEffect.stopScan) && one != other)
    expectEqual(Set([one, other, one, AnyPortValue(RadioEffect.stopAdvertising(set: 2))]).count, 3)
  }
}
