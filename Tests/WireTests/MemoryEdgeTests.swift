import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

/// Messages that are nearly those that an intake remembers: no byte of them may differ but those of the DATE.
@Suite("Messages that are nearly remembered") struct MemoryEdgeTests {
  private static func message(date: String, tail: String = "") -> [UInt8] {
    Array("NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNT: a\r\nDATE: \(date)\r\n\(tail)\r\n".utf8)
  }

  /// An intake that remembers one message.
  private struct Rig {
    let intake: SSDPIntake
    let store = PayloadStore()

    init(messagesMaximum: Int = SSDPIntake.messagesMaximum, _ known: [UInt8]...) {
      intake = SSDPIntake(.lenient, messagesMaximum: messagesMaximum)
      for message in known { learn(message) }
    }

    func learn(_ bytes: [UInt8]) {
      for _ in 0..<2 {
        let payload = store.store(bytes)
        _ = intake.read(payload, in: store)
        store.release(payload)
      }
    }

    func knows(_ bytes: [UInt8]) -> Bool {
      let payload = store.store(bytes)
      defer { store.release(payload) }
      return intake.recognise(payload, in: store) != nil
    }
  }

  @Test("every byte before and behind the DATE counts, at any length of what stands behind it")
  func everyByte() {
    for length in 0...70 {
      let tail = length == 0 ? "" : "X: " + String(repeating: "q", count: length) + "\r\n"
      let known = Self.message(date: "Sun", tail: tail)
      let rig = Rig(known)
      #expect(rig.knows(known), "\(length)")
      let date = known.count - tail.utf8.count - 7..<known.count - tail.utf8.count - 4
      for place in known.indices where !date.contains(place) {
        var other = known
        other[place] ^= 1
        #expect(!rig.knows(other), "byte \(place) with \(length) bytes behind the DATE")
      }
      for place in date {
        var other = known
        other[place] ^= 1
        #expect(rig.knows(other), "byte \(place) of the DATE")
      }
    }
  }

  @Test("a DATE of one byte is another DATE of one byte, and no longer one that begins with it")
  func shortDates() {
    let rig = Rig(Self.message(date: "x"))
    #expect(rig.knows(Self.message(date: "x")) && rig.knows(Self.message(date: "y")))
    #expect(!rig.knows(Self.message(date: "xy")) && !rig.knows(Self.message(date: "")))
    // The blank behind a value is not of it: there a second letter makes a longer one.
    let blank = Rig(Self.message(date: "x "))
    #expect(blank.knows(Self.message(date: "y ")) && !blank.knows(Self.message(date: "xy")))
  }

  @Test("what a memory noted beside a payload holds until it learns again, and for no other memory")
  func notes() {
    let (first, second) = (Self.message(date: "a", tail: "A: 1\r\n"), Self.message(date: "b", tail: "B: 2\r\n"))
    let rig = Rig(messagesMaximum: 1, first)
    let payload = rig.store.store(first)
    #expect(rig.intake.recognise(payload, in: rig.store) != nil)
    expectEqual(rig.intake.recognise(payload, in: rig.store)?.bytes.count, first.count)
    let other = SSDPIntake(.lenient)
    #expect(other.recognise(payload, in: rig.store) == nil)
    // A memory that learnt as often, but something else.
    for _ in 0..<2 {
      let different = rig.store.store(second)
      _ = other.read(different, in: rig.store)
      rig.store.release(different)
    }
    #expect(other.recognise(payload, in: rig.store) == nil)
    rig.learn(second)
    #expect(rig.intake.recognise(payload, in: rig.store) == nil)
    #expect(rig.knows(second) && !rig.knows(first))
    rig.store.release(payload)
  }

  @Test("a message with many fields is the same when it is recognised")
  func manyFields() {
    let fields = (0..<24).map { "F\($0): \($0)\r\n" }.joined()
    let bytes = Array("NOTIFY * HTTP/1.1\r\n\(fields)NT: a\r\nMX: 3\r\n\r\n".utf8)
    let rig = Rig(bytes)
    let payload = rig.store.store(bytes)
    guard let known = rig.intake.recognise(payload, in: rig.store),
      case .message(let read) = SSDPReader.read(bytes, mode: .lenient)
    else {
      Issue.record("the message is not recognised")
      return
    }
    #expect(SSDPOwnedMessage(known) == read && known.range(of: .nt) != nil && known.range(of: .bootID) == nil)
    rig.store.release(payload)
  }

  @Test("a memory of one message goes on learning after ten thousand of them")
  func manyLearnt() {
    let rig = Rig(messagesMaximum: 1)
    for number in 0..<10_000 {
      let message = Array("NOTIFY * HTTP/1.1\r\nX: \(number)\r\n\r\n".utf8)
      rig.learn(message)
      if number % 500 == 499 { #expect(rig.knows(message), "\(number)") }
    }
  }
}
