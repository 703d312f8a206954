import RollcallPrimitives
import RollcallWire

// Descriptions by CONFIGID, and their services beside what is announced.
extension DescriptionChecks {
  // MARK: - CONFIGID

  /// A message says CONFIGID, or none.
  mutating func hearNumber(_ context: MessageContext, _ collector: inout FindingCollector) {
    let uuid = Int(context.uuid)
    let found = context.message.index.pointee.configID
    guard found >= 0 else { return }
    devices[uuid].isChanging = false
    let isNew = found != devices[uuid].configID
    if isNew { (devices[uuid].configID, devices[uuid].configSince) = (found, context.time) }
    for number in devices[uuid].places {
      let place = Int(number)
      guard let open = places[place].open, open.root == context.uuid else { continue }
      if found != open.configID {
        // It changed while the document was on its way.
        places[place].open = nil
      } else if context.time - places[place].at >= DescriptionChecks.settling {
        settle(place, &collector)
      }
    }
  }

  /// A document came: it belongs to the CONFIGID that was announced before it was asked for, if that stays.
  mutating func openVersion(_ place: Int, _ document: ReadDescription) {
    places[place].open = nil
    let root = document.devices[0].uuid
    guard root >= 0, Int(root) < devices.count else { return }
    let device = devices[Int(root)]
    guard device.configID >= 0, !device.isChanging, device.configSince <= places[place].askedAt else { return }
    places[place].open = DescribedPlace.Version(
      root: root, configID: device.configID, elementsHash: document.elementsHash, wholeHash: document.wholeHash,
      attribute: document.configID)
  }

  /// CONFIGID stayed as it was: what the document says beside it, and beside earlier ones.
  mutating func settle(_ place: Int, _ collector: inout FindingCollector) {
    guard let version = places[place].open else { return }
    places[place].open = nil
    let scene = devices[Int(version.root)].scene
    if version.attribute >= 0 {
      collector.rule(
        .configIDChange, version.attribute == version.configID, at: scene,
        expected: "CONFIGID.UPNP.ORG as the configId of the description",
        found: "CONFIGID.UPNP.ORG \(version.configID), configId \(version.attribute)")
    }
    let known = places[place].versions.filter { $0.root == version.root }
    if let same = known.last(where: { $0.configID == version.configID }) {
      if same.wholeHash == version.wholeHash {
        collector.held(.configIDChange, at: scene)
      } else if same.elementsHash == version.elementsHash {
        collector.inconclusive(
          .configIDChange, at: scene,
          why: "under one CONFIGID the description differs in what is not of UDA")
      } else {
        collector.violated(
          .configIDChange, at: scene, expected: "another CONFIGID for another description",
          found: .text("two descriptions under CONFIGID \(version.configID)"))
      }
      if same.wholeHash == version.wholeHash { return }
    } else if let before = known.last {
      if before.wholeHash == version.wholeHash {
        collector.inconclusive(
          .configIDChange, at: scene,
          why: "CONFIGID changed and the description did not; the description of a service may have")
      } else {
        collector.held(.configIDChange, at: scene)
      }
    }
    if places[place].versions.count == DescribedPlace.versionsMaximum { places[place].versions.removeFirst() }
    places[place].versions.append(version)
  }

  // MARK: - Services

  /// Whether each service of the description is announced by its device; once for each document.
  mutating func judgeServices(_ place: Int, at now: Instant, _ collector: inout FindingCollector) {
    guard let document = places[place].presentDocument else { return }
    judgeEmbedded(document, at: now, &collector)
    for device in document.devices where device.uuid >= 0 && Int(device.uuid) < devices.count {
      devices[Int(device.uuid)].endBurst(at: now)
      let known = devices[Int(device.uuid)]
      guard known.hasWholeSet, !device.services.isEmpty,
        known.announced.count < DescribedDevice.announcedMaximum
      else { continue }
      let missing = device.services.indices.filter { !known.hasAnnounced(device.services[$0]) }
      if missing.isEmpty {
        collector.held(.servicePerDevice, at: known.scene)
        continue
      }
      let types = missing.prefix(3).map { device.serviceTypes[$0] }.joined(separator: ", ")
      if isComplete, document.isSound {
        collector.violated(
          .servicePerDevice, at: known.scene, expected: "a message of each type of service that the description has",
          found: .text("none of \(types)"))
      } else {
        collector.inconclusive(
          .servicePerDevice, at: known.scene,
          why: "no message of \(types), which the description has; what was sent may be lost")
      }
    }
  }
}
