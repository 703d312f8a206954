import RollcallExpectations
import RollcallServedPhones
import Testing

@Suite("Where a served phone finds its radio") struct ServedPhoneTests {
  @Test(arguments: ["nowhere", "tcp:127.0.0.1", "unix:", "tcp:127.0.0.1:70000"])
  func `a place that is none is refused with what is expected`(place: String) {
    let error = #expect(throws: ServedPhoneError.self) { try ServedPhone(place) }
    expectEqual(error?.description, "\(place) is no place of a radio: expected tcp:HOST:PORT or unix:PATH")
  }

  @Test(arguments: ["c4:00:00:00:00:01/public", "c4:00"])
  func `an address that is not a random one is refused`(address: String) {
    let error = #expect(throws: ServedPhoneError.self) { try ServedPhone("unix:/none", address: address) }
    expectEqual(error?.description, "\(address) is no random address such as c4:00:00:00:00:01/random")
  }
}
