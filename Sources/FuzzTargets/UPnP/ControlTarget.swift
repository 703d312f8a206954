import RollcallWire

extension FuzzTarget {
  /// A call of UPnP control: bounded, and the same when it is written and read again; and so is its answer.
  static let control = FuzzTarget(
    name: "soap",
    dictionary: [
      "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'>", "<s:Body>", "</s:Body>", "</s:Envelope>",
      "<u:Get xmlns:u='urn:a:service:B:1'>", "</u:Get>", "<InstanceID>", "</InstanceID>", "<s:Header/>",
      "urn:a:service:B:1",
    ] + xmlWords,
    seeds: [
      SOAPCall(serviceType: "urn:a:service:B:1", action: "Get", arguments: [.init("InstanceID", "0")]).bytes,
      SOAPCall.fault(401, "Invalid Action"),
      Array(
        "<Envelope xmlns='http://schemas.xmlsoap.org/soap/envelope/'><Body><a:b xmlns:a='c'> x &lt; <![CDATA[y]]></a:b></Body></Envelope>"
          .utf8),
    ]
  ) { (bytes: [UInt8]) throws(FuzzFinding) in
    for input in [bytes] + cuts(of: bytes).map({ Array(bytes[..<$0]) }) {
      guard let call = SOAPCall.read(input) else { continue }
      try expect(call.arguments.count <= SOAPCall.argumentsMaximum, "\(call.arguments.count) arguments")
      let again = SOAPCall.read(call.bytes)
      try expect(again == call, "written, it is another: \(String(describing: again)), not \(call)")
      let answer = SOAPCall.read(call.answer(call.arguments))
      try expect(
        answer?.arguments == call.arguments && answer?.action == call.action + "Response",
        "its answer is another: \(String(describing: answer)), not \(call)")
    }
  }
}
