import RollcallPrimitives
import RollcallWire

/// The control of a service (UDA 2.0, section 3.2): what only reads the state is answered with first values, since
/// nothing changes them; everything else is answered with a UPnP error, and nothing is done.
enum ServiceControl {
  /// The answer to a POST to the control URL of a service.
  static func answer(_ head: HTTPRequestHead, body: [UInt8], type: String, _ scpd: SCPD) -> HTTPResponse {
    guard let call = SOAPCall.read(body) else { return HTTPResponse.refusal(400) }
    let field = head.values(of: "soapaction").first
    guard call.serviceType == type, field == call.actionField, let action = scpd.action(call.action) else {
      return fault(401, "Invalid Action")
    }
    let inputs = action.arguments.filter { !$0.isOut }
    guard inputs.map(\.name).sorted() == call.arguments.map(\.name).sorted(),
      inputs.allSatisfy({ input in
        let value = call.arguments.first { $0.name == input.name }?.value ?? ""
        return isOfType(value, scpd.variable(input.variable)?.type ?? "string")
      })
    else { return fault(402, "Invalid Args") }
    let selects = inputs.allSatisfy {
      $0.variable == "A_ARG_TYPE_InstanceID" || $0.variable == "A_ARG_TYPE_Channel"
    }
    let results = action.arguments.filter(\.isOut)
    guard selects, !results.isEmpty else { return fault(501, "Action Failed") }
    return response(
      200, call.answer(results.map { .init($0.name, scpd.variable($0.variable)?.initial ?? "") }))
  }

  private static func fault(_ code: Int, _ description: String) -> HTTPResponse {
    response(500, SOAPCall.fault(code, description))
  }

  private static func response(_ status: Int, _ body: [UInt8]) -> HTTPResponse {
    HTTPResponse(status: status, fields: [("CONTENT-TYPE", "text/xml; charset=\"utf-8\""), ("EXT", "")], body: body)
  }

  /// Whether a text is a value of a data type (UDA 2.0, section 2.5).
  private static func isOfType(_ value: String, _ type: String) -> Bool {
    switch type {
    // Those without a sign have none, not even a plus.
    case "ui1": UInt8(digits: value) != nil
    case "ui2": UInt16(digits: value) != nil
    case "ui4": UInt32(digits: value) != nil
    case "i4", "int": Int32(value) != nil
    case "boolean": ["0", "1", "true", "false", "yes", "no"].contains(value)
    default: true
    }
  }
}
