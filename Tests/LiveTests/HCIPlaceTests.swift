import RollcallExpectations
import RollcallLive
import Testing

@Suite("Places of hosts of HCI") struct HCIPlaceTests {
  @Test("a place has a host and a port, or a path; what lacks one of them is none")
  func places() {
    let places: [(text: String, place: HCIPlace?)] = [
      ("tcp:127.0.0.1:9000", .tcp(host: "127.0.0.1", port: 9_000)), ("tcp:[::1]:0", .tcp(host: "::1", port: 0)),
      ("unix:/tmp/hci", .unix(path: "/tmp/hci")), ("tcp:9000", nil), ("tcp::9000", nil), ("tcp:", nil),
      ("tcp:localhost:", nil), ("tcp:localhost:65536", nil), ("unix:", nil), ("9000", nil),
    ]
    for one in places { expectEqual(HCIPlace(one.text), one.place, "\(one.text)") }
  }
}
