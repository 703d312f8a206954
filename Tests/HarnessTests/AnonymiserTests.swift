import Harness
import Primitives
import Testing

@Suite("Taking names out of captures")
struct AnonymiserTests {
  private func text(_ anonymiser: inout Anonymiser, _ text: String) -> String {
    String(decoding: anonymiser.payload(Array(text.utf8)), as: UTF8.self)
  }

  @Test("addresses stay of their kind and length, and on a network of their own")
  func addresses() {
    var anonymiser = Anonymiser()
    func mapped(_ text: String) -> String { anonymiser.address(IPAddress(text)!).description }
    let (a, b, c) = (mapped("192.168.1.20"), mapped("192.168.1.21"), mapped("192.168.7.20"))
    #expect([a, b, c] == ["192.168.2.20", "192.168.2.21", "192.168.3.20"])
    #expect(mapped("192.168.1.20") == a)
    #expect(mapped("10.22.33.4") == "10.20.20.2")
    #expect(mapped("172.16.200.9") == "172.16.110.2")
    #expect(mapped("169.254.10.11") == "169.254.20.20")
    for kept in ["239.255.255.250", "255.255.255.255", "127.0.0.1", "0.0.0.0", "ff02::c", "::1"] {
      #expect(mapped(kept) == kept)
    }
    let link = mapped("fe80::21e:c2ff:fe1b:2a3")
    #expect(link.hasPrefix("fe80::") && link.utf8.count == "fe80::21e:c2ff:fe1b:2a3".utf8.count)
    #expect(link != "fe80::21e:c2ff:fe1b:2a3")
  }

  @Test("a message keeps its length and its form; the same name is the same everywhere")
  func payload() {
    var anonymiser = Anonymiser()
    let message =
      "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nCACHE-CONTROL: max-age=1800\r\n"
      + "LOCATION: http://192.168.1.20:49152/0017880a1b2c/description.xml\r\nSERVER: Linux/2.6.32 UPnP/1.0 IpBridge/1.26.0\r\n"
      + "hue-bridgeid: 001788FFFE0A1B2C\r\nNT: upnp:rootdevice\r\n"
      + "USN: uuid:2f402f80-da50-11e1-9b23-0017880a1b2c::upnp:rootdevice\r\nBOOTID.UPNP.ORG: 1417617341\r\n\r\n"
    let result = text(&anonymiser, message)
    #expect(result.utf8.count == message.utf8.count)
    let lines = result.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines[0] == "NOTIFY * HTTP/1.1")
    #expect(lines[1] == "HOST: 239.255.255.250:1900")
    #expect(lines[2] == "CACHE-CONTROL: max-age=1800")
    #expect(lines[4] == "SERVER: Linux/2.6.32 UPnP/1.0 IpBridge/1.26.0")
    #expect(lines[8] == "BOOTID.UPNP.ORG: 1417617341")
    #expect(!result.contains("0017880a1b2c") && !result.contains("0A1B2C") && !result.contains("2f402f80"))
    #expect(lines[3].hasPrefix("LOCATION: http://192.168.2.20:49152/00"))
    // The hardware address is the same in the path and at the end of the UUID.
    let tail = lines[7].dropLast("::upnp:rootdevice".count).suffix(12)
    #expect(lines[3].contains("/\(tail)/"))
    // Version and variant of the UUID stay.
    #expect(lines[7].dropFirst("USN: uuid:".count + 14).first == "1")
    #expect(text(&anonymiser, message) == result)
  }

  @Test("serial numbers in UUIDs, host names and names that people gave are replaced, product names are not")
  func words() {
    var anonymiser = Anonymiser()
    let usn = text(&anonymiser, "USN: uuid:RINCON_B8E93781F00201400::urn:schemas-upnp-org:device:ZonePlayer:1\r\n")
    #expect(usn.hasPrefix("USN: uuid:RINCON_") && usn.hasSuffix("::urn:schemas-upnp-org:device:ZonePlayer:1\r\n"))
    #expect(!usn.contains("B8E93781F002"))
    let location = text(&anonymiser, "LOCATION: http://annas-nas.fritz.box:8200/rootDesc.xml\r\n")
    #expect(location == "LOCATION: http://host1xxxx.fritz.box:8200/rootDesc.xml\r\n")
    #expect(text(&anonymiser, "CPFN.UPNP.ORG: Anna's Phone 2\r\n") == "CPFN.UPNP.ORG: Nnnn'n Nnnnn 0\r\n")
    #expect(text(&anonymiser, "X-Mac: 00:17:88:0a:1b:2c\r\n") != "X-Mac: 00:17:88:0a:1b:2c\r\n")
    let broken: [UInt8] = [0x4C, 0x3A, 0xFF, 0x61, 0x31]
    #expect(anonymiser.payload(broken).count == 5)
  }
}
