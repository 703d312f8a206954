import RollcallExpectations
import RollcallWire
import Testing

@Suite("Calls of UPnP control") struct SOAPCallTests {
  private static let type = "urn:schemas-upnp-org:service:SwitchPower:1"
  private static func read(_ text: String) -> SOAPCall? { SOAPCall.read(Array(text.utf8)) }
  private static func envelope(_ body: String, namespace: String = SOAPCall.envelopeNamespace) -> String {
    "<s:Envelope xmlns:s=\"\(namespace)\"><s:Body>\(body)</s:Body></s:Envelope>"
  }

  @Test("what is written is read as the same call")
  func rounds() {
    let arguments: [SOAPCall.Argument] = [.init("newTargetValue", "1"), .init("Empty", ""), .init("Odd", "<&>\"é\n")]
    let call = SOAPCall(serviceType: SOAPCallTests.type, action: "SetTarget", arguments: arguments)
    expectEqual(SOAPCall.read(call.bytes), call)
    expectEqual(call.actionField, "\"\(SOAPCallTests.type)#SetTarget\"")
    expectEqual(SOAPCall.read(call.answer(arguments))?.arguments, arguments)
    expectEqual(SOAPCall.read(call.answer([]))?.action, "SetTargetResponse")
  }

  @Test("the answer and the error are what UDA has")
  func bytes() {
    let call = SOAPCall(serviceType: "urn:a:service:B:1", action: "Get")
    expectEqual(
      String(decoding: call.answer([.init("Value", "7")]), as: UTF8.self),
      """
      <?xml version="1.0" encoding="utf-8"?>
      <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">
        <s:Body>
          <u:GetResponse xmlns:u="urn:a:service:B:1">
            <Value>7</Value>
          </u:GetResponse>
        </s:Body>
      </s:Envelope>

      """)
    expectEqual(
      String(decoding: SOAPCall.fault(401, "Invalid Action"), as: UTF8.self),
      """
      <?xml version="1.0" encoding="utf-8"?>
      <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">
        <s:Body>
          <s:Fault>
            <faultcode>s:Client</faultcode>
            <faultstring>UPnPError</faultstring>
            <detail>
              <UPnPError xmlns="urn:schemas-upnp-org:control-1-0">
                <errorCode>401</errorCode>
                <errorDescription>Invalid Action</errorDescription>
              </UPnPError>
            </detail>
          </s:Fault>
        </s:Body>
      </s:Envelope>

      """)
  }

  @Test("one action in the body of an envelope, and nothing else, is a call")
  func refusals() {
    let call = "<u:Get xmlns:u=\"urn:a:service:B:1\"><A>1</A></u:Get>"
    expectEqual(
      SOAPCallTests.read(
        "<s:Envelope xmlns:s=\"\(SOAPCall.envelopeNamespace)\"><s:Header><a><b/></a></s:Header><s:Body>\(call)</s:Body></s:Envelope>"
      ),
      SOAPCall(serviceType: "urn:a:service:B:1", action: "Get", arguments: [.init("A", "1")]))
    for text in [
      "", "nothing", call, SOAPCallTests.envelope(""), SOAPCallTests.envelope(call + call),
      SOAPCallTests.envelope(call, namespace: "urn:other"), SOAPCallTests.envelope("<Get/>"),
      SOAPCallTests.envelope("<u:Get xmlns:u=\"urn:a:service:B:1\"><A><B/></A></u:Get>"),
      String(SOAPCallTests.envelope(call).dropLast(3)),
    ] {
      expectEqual(SOAPCallTests.read(text), nil)
    }
  }

  @Test("64 arguments are read, 65 are refused")
  func bounds() {
    func call(_ count: Int) -> SOAPCall {
      SOAPCall(
        serviceType: "urn:a:service:B:1", action: "Get", arguments: (0..<count).map { .init("A\($0)", "\($0)") })
    }
    expectEqual(SOAPCall.read(call(64).bytes), call(64))
    expectEqual(SOAPCall.read(call(65).bytes), nil)
  }
}
