package import RollcallPrimitives
package import RollcallWire

/// A request for something that a description names of a service: its own description, its control, or its events.
package struct ServiceRequest {
  private enum Wish { case description, control, events }

  private let head: HTTPRequestHead
  private let document: DescriptionDocument
  private let service: DescriptionDocument.Service
  private let wish: Wish

  /// `nil`: no service has this path.
  package init?(_ head: HTTPRequestHead, of document: DescriptionDocument) {
    for service in document.root.allServices {
      let wish: Wish? =
        switch head.path {
        case service.descriptionPath: .description
        case service.controlPath: .control
        case service.eventPath: .events
        default: nil
        }
      guard let wish else { continue }
      (self.head, self.document, self.service, self.wish) = (head, document, service, wish)
      return
    }
    return nil
  }

  package func answer(
    body: [UInt8], _ events: inout EventPublisher, by publisher: EventPublisher.Publisher, at now: Instant,
    nextStream: () -> StreamID
  ) -> HTTPResponse {
    let scpd = ServiceTable.standard.scpd(of: service.type)
    switch wish {
    case .description:
      guard head.method == "GET" || head.method == "HEAD" else { return .readOnly }
      return .description(
        scpd.bytes(major: document.major, minor: document.minor, configID: document.configID))
    case .control:
      guard head.method == "POST" else { return .refusal(405) }
      var response = ServiceControl.answer(head, body: body, type: service.type, scpd)
      response.fields.append(("SERVER", publisher.product))
      return response
    case .events:
      guard let request = EventRequest(head) else { return .refusal(405) }
      let properties = scpd.variables.filter(\.isEvented).map { SOAPCall.Argument($0.name, $0.initial) }
      return events.answer(
        request, for: .init(path: service.eventPath, properties: properties), by: publisher, nextStream: nextStream,
        at: now)
    }
  }
}

extension DescriptionDocument.Device {
  /// The services of this device and of those embedded in it, in the order of the document.
  fileprivate var allServices: [DescriptionDocument.Service] { services + embedded.flatMap(\.allServices) }
}
