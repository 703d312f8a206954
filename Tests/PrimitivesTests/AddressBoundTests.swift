import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("Addresses at their bounds")
struct AddressBoundTests {
  @Test(
    "IPv6 text has eight groups of one to four digits, or fewer around one gap, the last two perhaps in dotted decimal",
    arguments: [
      ("1:2:3:4:5:6:7:8", 0x0001_0002_0003_0004, 0x0005_0006_0007_0008), ("::", 0, 0),
      ("1:2:3:4:5:6:7::", 0x0001_0002_0003_0004, 0x0005_0006_0007_0000),
      ("::2:3:4:5:6:7:8", 0x0000_0002_0003_0004, 0x0005_0006_0007_0008),
      ("1:2:3::5:6:7:8", 0x0001_0002_0003_0000, 0x0005_0006_0007_0008), ("::8", 0, 8), ("1::", 1 << 48, 0),
      ("1:2:3:4:5:6:1.2.3.4", 0x0001_0002_0003_0004, 0x0005_0006_0102_0304), ("::1.2.3.4", 0, 0x0102_0304),
      ("::2:3:4:5:6:1.2.3.4", 0x0000_0002_0003_0004, 0x0005_0006_0102_0304), ("1::255.0.0.9", 1 << 48, 0xFF00_0009),
      ("FFFF:ffff:FffF:fFFf:ffff:ffff:ffff:ffff", .max, .max), ("00a0::000F", 0xA0 << 48, 0xF),
      ("a:b:c:d:e:f:9:0", 0x000A_000B_000C_000D, 0x000E_000F_0009_0000), ("::1:0:0:0:0:0:0", 1 << 32, 0),
    ] as [(String, UInt64, UInt64)])
  func addresses6(text: String, high: UInt64, low: UInt64) {
    expectEqual(IPAddress(text), IPAddress(v6High: high, low: low))
    // With a byte that no address has it is none.
    let whole = Array(text.utf8)
    for place in whole.indices {
      for odd in [0x2F, 0x47, 0x67, 0x40, 0x60, 0x20, 0x25, 0x5B, 0x2B, 0x2D] as [UInt8] {
        var other = whole
        other[place] = odd
        expectEqual(IPAddress(String(decoding: other, as: UTF8.self)), nil, "\(odd) at \(place)")
      }
    }
  }

  @Test(
    "what has a group too many or too few, a second gap, a group too long or another byte is no IPv6 address",
    arguments: [
      "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "1:2:3:4::5:6:7:8",
      "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:1.2.3.4", "::2:3:4:5:6:7:1.2.3.4", "1.2.3.4::", "::1.2.3.4:1", "::1.2.3",
      "::1.2.3.4.5", "::1.2.3.256", "::01.2.3.4", "::1.2.3.4.", "00001::", "::00001", "::10000", ":", "1:", ":1",
      "1:2", ":::", "::1:", ":1::", "::1::", "1:::2", "1::2::3", "::+1", "::1+", "::-1", "-0::1", "fe80::-0", "::-00:1",
      "-000::", "+0::1", "-::", "::-", " ::", ":: ", "::1 ", "::1%1",
      "[::1]",
      "::\u{661}",
    ])
  func noAddresses6(text: String) { expectEqual(IPAddress(text), nil) }

  @Test(
    "the longest row of zero groups is the gap, the first of equals, and one group alone is none",
    arguments: [
      ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:0:0:2:3:0:0:4", "1::2:3:0:0:4"), ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
      ("0:2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:7:0", "1:2:3:4:5:6:7:0"), ("0:0:1::", "0:0:1::"),
      ("0:0:0:1:0:0:0:0", "0:0:0:1::"), ("0:0:0:0:1:0:0:0", "::1:0:0:0"), ("1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"),
      ("0:0:3:4:5:6:7:8", "::3:4:5:6:7:8"), ("::1.2.3.4", "::102:304"), ("::fffe:1.2.3.4", "::fffe:102:304"),
      ("::1:ffff:1.2.3.4", "::1:ffff:102:304"), ("1::ffff:1.2.3.4", "1::ffff:102:304"),
      ("::ffff:0:0", "::ffff:0.0.0.0"),
      ("::ffff:ffff:ffff", "::ffff:255.255.255.255"), ("0a00:0b0::0c", "a00:b0::c"),
    ])
  func canonical(text: String, expected: String) {
    expectEqual(IPAddress(text)?.description, expected)
    expectEqual(IPAddress(expected), IPAddress(text))
  }

  @Test("ranges with a meaning begin and end where they do")
  func ranges() throws {
    let tests: [(name: String, holds: (IPAddress) -> Bool, inside: [String], outside: [String])] = [
      (
        "multicast", { $0.isMulticast }, ["224.0.0.0", "239.255.255.255", "ff00::", "ffff::"],
        ["223.255.255.255", "240.0.0.0", "feff:ffff::", "::ff00:0:0"]
      ),
      (
        "loopback", { $0.isLoopback }, ["127.0.0.0", "127.255.255.255", "::1"],
        ["126.255.255.255", "128.0.0.0", "::2", "::", "1::1", "0.0.0.1"]
      ),
      (
        "link-local", { $0.isLinkLocal }, ["169.254.0.0", "169.254.255.255", "fe80::", "febf:ffff::"],
        ["169.253.255.255", "169.255.0.0", "fe7f:ffff::", "fec0::"]
      ),
      ("unspecified", { $0.isUnspecified }, ["0.0.0.0", "::"], ["0.0.0.1", "1.0.0.0", "::1", "1::"]),
      ("broadcast", { $0.isBroadcast }, ["255.255.255.255"], ["255.255.255.254", "::ffff:ffff", "::"]),
    ]
    for (name, holds, inside, outside) in tests {
      for (text, isInside) in inside.map({ ($0, true) }) + outside.map({ ($0, false) }) {
        let address = try #require(IPAddress(text))
        expectEqual(holds(address), isInside, "\(text) and \(name)")
      }
    }
  }

  @Test("two addresses that differ first in a bit share all shorter prefixes and no longer one")
  func prefixes() throws {
    for (text, bits) in [("10.170.85.255", 32), ("2001:db8:aaaa:5555::ff", 128)] {
      let address = try #require(IPAddress(text))
      for bit in 0..<bits {
        var bytes = address.bytes
        bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8)
        let other = try #require(IPAddress(bytes: bytes))
        for kept in [-1, 0, bit - 1, bit, bit + 1, bits - 1, bits, bits + 1, 200] {
          let isShared = max(0, min(bits, kept)) <= bit
          if address.sharesPrefix(kept, with: other) != isShared { Issue.record("\(text), bit \(bit), \(kept) bits") }
        }
      }
      #expect(address.sharesPrefix(bits, with: address) && address.sharesPrefix(bits + 1, with: address))
    }
    for count in 0...17 {
      expectEqual((IPAddress(bytes: [UInt8](repeating: 1, count: count)) == nil), (count != 4 && count != 16))
    }
  }

  @Test("a port of an endpoint is a number of at most five digits, up to 65535")
  func endpoints() {
    let ports: [(String, UInt16?)] = [
      ("0", 0), ("1", 1), ("00080", 80), ("65535", 65_535), ("65536", nil), ("99999", nil), ("000080", nil), ("", nil),
      ("+1", nil), ("-0", nil), ("1a", nil), ("/", nil), ("80 ", nil), (" 80", nil),
    ]
    for (text, port) in ports {
      expectEqual(Endpoint("1.2.3.4:" + text)?.port, port, "\(text)")
      expectEqual(Endpoint("[::1]:" + text)?.port, port, "\(text)")
    }
    for text in ["::1:80", "[1.2.3.4]:80", "[::1:80", "::1]:80", "[]:80", "[::1]", "1.2.3.4", ":80", "[[::1]]:80"] {
      expectEqual(Endpoint(text), nil, "\(text)")
    }
  }
}
