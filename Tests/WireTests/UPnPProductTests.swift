import RollcallExpectations
import Testing
import RollcallWire

/// The product that says which version of UPnP a sender goes by.
@Suite("The product UPnP/x.y")
struct UPnPProductTests {
  @Test("the first product of that name with a version is found, from its first letter to its last digit")
  func first() {
    let rows: [(text: String, found: String)] = [
      ("UPnP/1.0", "0..<8 1 0 false"), ("a/1 UPnP/1.1 b/2", "4..<12 1 1 true"), ("UPnP/2.0", "0..<8 2 0 true"),
      ("\tUPnP/0.2", "1..<9 0 2 false"), ("a,UPnP/1.0,b", "2..<10 1 0 false"), ("UPnP/001.01", "0..<11 1 1 true"),
      // More than 2 counts as 2.
      ("UPnP/10.25x", "0..<10 2 2 true"), ("UPnP/0.10", "0..<9 0 2 false"),
      ("UPnP/18446744073709551616.18446744073709551616", "0..<46 2 2 true"),
      ("UPnP/1.0 UPnP/2.0", "0..<8 1 0 false"), ("UPnP/x UPnP/2.0", "7..<15 2 0 true"),
      ("UPnP/1. UPnP/2.0", "8..<16 2 0 true"), ("XUPnP/1.1,UPnP/1.0", "10..<18 1 0 false"),
      ("", "-"), ("U", "-"), ("UPnP", "-"), ("UPnP/", "-"), ("UPnP/1", "-"), ("UPnP/1.", "-"), ("UPnP/.1", "-"),
      ("UPnP/1,0", "-"), ("UPnP-1.1", "-"), ("uPnP/1.1", "-"), ("UPNP/1.1", "-"), ("XUPnP/1.1", "-"),
      ("a;UPnP/1.1", "-"), ("(UPnP/1.1)", "-"),
    ]
    for row in rows {
      let product = Array(row.text.utf8).withUnsafeBytes { UPnPProduct.first(in: $0) }
      let found = product.map { "\($0.range) \($0.major) \($0.minor) \($0.isLaterThan10)" } ?? "-"
      expectEqual(found, row.found, "\(row.text)")
    }
  }
}
