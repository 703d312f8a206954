import RollcallPrimitives
import RollcallWire

// What the URLs of a description are relative to.
extension DescriptionChecks {
  /// A document that is new here: its URLBase beside the LOCATION that it came from; once for each document.
  ///
  /// UDA 1.0 asks for no address there. But a control point that has the description from LOCATION sends its requests to
  /// URLBase, and an address that the device had before, or that was written where it was made, is somebody else's.
  mutating func judgeURLBase(_ place: Int, _ document: ReadDescription, _ collector: inout FindingCollector) {
    let askedAt = places[place].askedAt
    // Of those that announce this LOCATION, one whose description it is.
    guard let scene = places[place].slots.first(where: { $0.expiry > askedAt && document.has($0.uuid) })?.scene else {
      return
    }
    guard let base = document.urlBase else { return collector.held(.noURLBase, at: scene) }
    let shown = "URLBase “\(base.prefix(80))”"
    if document.isOfVersion10 {
      collector.inconclusive(
        .noURLBase, at: scene,
        why: "the device claims UPnP \(scene.claim.text), its description UPnP 1.0, which has URLBase")
    } else {
      collector.violated(.noURLBase, at: scene, expected: "no URLBase from UPnP 1.1 on", found: .text(shown))
    }
    // UDA 1.0: an empty one is none.
    if base.isEmpty { return }
    guard case .url(let url) = LocationURL.check(base) else {
      return collector.violated(
        .urlBaseHost, at: scene, expected: "a whole URL in URLBase, or no URLBase", found: .text(shown))
    }
    guard let address = url.address else {
      return collector.inconclusive(
        .urlBaseHost, at: scene, why: "\(shown) has the name of a host, and nobody was asked for its address")
    }
    if address == places[place].server?.address { return collector.held(.urlBaseHost, at: scene) }
    let own = document.devices.compactMap { device in
      device.uuid >= 0 && Int(device.uuid) < devices.count ? devices[Int(device.uuid)].places : nil
    }
    if own.joined().contains(where: { places[Int($0)].server?.address == address }) {
      return collector.inconclusive(
        .urlBaseHost, at: scene, why: "\(shown) is at another LOCATION of the device, which may be out of reach here")
    }
    let wanted = places[place].server.map { "\($0.address)" } ?? "the address of LOCATION"
    collector.violated(
      .urlBaseHost, at: scene, expected: "\(wanted), where the description came from, in URLBase", found: .text(shown))
  }
}
