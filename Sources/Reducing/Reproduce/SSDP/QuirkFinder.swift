import RollcallDevices
import RollcallScenarios
import RollcallWire

/// Names the bad habits that a host's messages show, by the words of the quirk catalogue.
enum QuirkFinder {
  struct Found: Hashable {
    var quirk: Quirk
    /// `bareUUIDAsUSN (D23)`.
    var text: String {
      let references = quirk.entry.references.prefix(2).joined(separator: ", ")
      return Vocabulary.text(of: quirk) + (references.isEmpty ? "" : " (\(references))")
    }
  }

  /// In the order of `Quirk`'s places: bytes, fields, LOCATION, description, set, behaviour.
  static func quirks(of messages: [TapedMessage]) -> [Found] {
    let notifies = messages.filter { $0.kind == .notifyAlive || $0.kind == .notifyByebye || $0.kind == .notifyUpdate }
    let alives = notifies.filter { $0.kind == .notifyAlive }
    let byebyes = notifies.filter { $0.kind == .notifyByebye }
    let responses = messages.filter { $0.kind == .response }
    let announcing = alives + responses
    if notifies.isEmpty, responses.isEmpty { return [] }
    var found: [Quirk] = []
    func note(_ quirk: Quirk, _ isShown: Bool) { if isShown, !found.contains(quirk) { found.append(quirk) } }
    func has(_ name: String, _ message: TapedMessage) -> Bool { value(name, message) != nil }

    let all = notifies + responses
    note(.noBlankLine, all.contains { end(of: $0.payload) == nil })
    note(.lfOnly, all.contains { !$0.payload.contains(13) })
    note(.nulAfterBlankLine, all.contains { $0.payload.last == 0 })
    note(.titleCaseNames, all.contains { names($0).contains { $0.contains { $0.isLowercase } } })
    note(.noSpaceAfterColon, all.contains { hasTightColon($0.payload) })
    note(.noCacheControl, announcing.contains { !has("CACHE-CONTROL", $0) })
    note(.noServer, announcing.contains { !has("SERVER", $0) })
    note(.noHost, notifies.contains { !has("HOST", $0) })
    note(.hostWithoutPort, notifies.contains { value("HOST", $0) == "239.255.255.250" })
    note(.bareUUIDAsUSN, all.contains { isBareUSN($0) })
    note(.usnWithoutUUID, all.contains { !(value("USN", $0) ?? "uuid:").lowercased().hasPrefix("uuid:") })
    note(.upperCaseUUIDScheme, all.contains { value("USN", $0)?.hasPrefix("UUID:") ?? false })
    note(.noExt, responses.contains { !has("EXT", $0) })
    note(.noDate, responses.contains { !has("DATE", $0) })
    note(.dateInNotify, notifies.contains { has("DATE", $0) })
    note(.hostInResponse, responses.contains { has("HOST", $0) })
    note(.manInNotify, notifies.contains { has("MAN", $0) })
    note(.locationInByebye, byebyes.contains { has("LOCATION", $0) })
    note(.noLocation, announcing.contains { !has("LOCATION", $0) })
    note(.vendorFields, all.contains { names($0).contains { $0.lowercased().hasPrefix("x-") } })
    bootIDs(announcing, note)
    note(.locationHttps, announcing.contains { value("LOCATION", $0)?.hasPrefix("https:") ?? false })
    let ages = announcing.compactMap { maxAge($0) }
    if let age = ages.first, age < 1_800 { note(.maxAge(age), true) }
    note(.nonHexUUID, all.contains { isOddUUID($0) })
    if let ttl = notifies.first?.hopLimit, ttl != 2, ttl != 4 { note(.ttl(ttl), true) }
    targets(alives, note)
    if let first = byebyes.first?.time, let alive = alives.first?.time {
      note(.byebyeBeforeFirstAlive, first < alive)
    }
    return found.map { Found(quirk: $0) }
  }

  private static func bootIDs(_ announcing: [TapedMessage], _ note: (Quirk, Bool) -> Void) {
    let name = "BOOTID.UPNP.ORG"
    let with = announcing.filter { value(name, $0) != nil }
    let without = announcing.filter { value(name, $0) == nil }
    note(.bootIDMissingOnServices, !with.isEmpty && without.contains { target($0).contains(":service:") })
    let claims = announcing.contains { message in
      Array((value("SERVER", message) ?? "").utf8).withUnsafeBytes {
        UPnPProduct.first(in: $0)?.isLaterThan10 ?? false
      }
    }
    note(.claims11WithoutBootID, claims && with.isEmpty)
  }

  private static func targets(_ alives: [TapedMessage], _ note: (Quirk, Bool) -> Void) {
    let targets = alives.map(target)
    if let foreign = targets.first(where: { text in
      !["upnp:", "uuid:", "urn:"].contains { text.lowercased().hasPrefix($0) }
    }),
      let quirk = try? Quirk.parse(name: "foreignNT", argument: foreign)
    {
      note(quirk, true)
    }
    note(
      .dottedVendorDomain,
      targets.contains { $0.hasPrefix("urn:") && ($0.split(separator: ":").dropFirst().first ?? "").contains(".") })
    note(
      .versionNotInteger,
      targets.contains { $0.hasPrefix("urn:") && $0.split(separator: ":").last?.contains(".") ?? false })
    let roots = targets.contains("upnp:rootdevice")
    note(.incompleteSet, roots && !targets.contains { $0.lowercased().hasPrefix("uuid:") })
  }

  // MARK: Reading

  private static func value(_ name: String, _ message: TapedMessage) -> String? {
    FieldText.value(name, of: message.payload)
  }
  private static func target(_ message: TapedMessage) -> String { value("NT", message) ?? value("ST", message) ?? "" }

  private static func isBareUSN(_ message: TapedMessage) -> Bool {
    guard let usn = value("USN", message) else { return false }
    return !usn.contains("::") && usn != target(message) && usn.lowercased().hasPrefix("uuid:")
  }

  private static func isOddUUID(_ message: TapedMessage) -> Bool {
    guard let usn = value("USN", message), usn.lowercased().hasPrefix("uuid:") else { return false }
    let uuid =
      usn.dropFirst(5).firstRange(of: "::").map { String(usn.dropFirst(5)[..<$0.lowerBound]) }
      ?? String(usn.dropFirst(5))
    return DeviceUUID(uuid) == nil
  }

  private static func maxAge(_ message: TapedMessage) -> Int64? {
    guard let text = value("CACHE-CONTROL", message)?.lowercased(), let range = text.firstRange(of: "max-age") else {
      return nil
    }
    return Int64(text[range.upperBound...].drop { $0 == " " || $0 == "=" }.prefix { $0.isNumber })
  }

  private static func end(of payload: [UInt8]) -> Int? {
    guard payload.count > 1 else { return nil }
    for index in 1..<payload.count where payload[index] == 10 {
      if payload[index - 1] == 10 { return index }
      if index >= 3, payload[index - 1] == 13, payload[index - 2] == 10 { return index }
    }
    return nil
  }

  private static func names(_ message: TapedMessage) -> [Substring] {
    String(decoding: message.payload, as: UTF8.self).unicodeScalars.split(separator: "\n").dropFirst().compactMap {
      line in
      let text = Substring(line)
      return text.firstIndex(of: ":").map { text[..<$0] }
    }.filter { !["Ext", "Opt"].contains($0) }
  }

  private static func hasTightColon(_ payload: [UInt8]) -> Bool {
    var isName = false
    for index in payload.indices {
      if payload[index] == 10 { isName = true }
      guard isName, payload[index] == UInt8(ascii: ":") else { continue }
      isName = false
      if index + 1 < payload.count, payload[index + 1] > 32 { return true }
    }
    return false
  }
}
