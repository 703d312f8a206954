import RollcallConformance
import RollcallExaminers
import RollcallPrimitives

/// A control point of the simplest kind, for what can be planted in no engine: it reads lines, keeps names, prints them.
struct ToyControlPoint: Examinee {
  enum Defect: String, CaseIterable {
    case namesInOneCase, blanksMatter, orderMatters, unknownFieldsRefused, hexUUIDOnly, minorOneOnly, directivesRefused
    case portDemanded, eightBitRefused, versionExact, anyStart, answersOnly404, namelessTaken, targetlessTaken
    case diesOfNoColon, foldedRead, bothLocations, firstThenLast, deafAfterLong, diesOfManyFields, deafAfterNUL
    case followsAnything, redirectsForEver, zerosMatter, halfCaseOfUUIDs, byebyeOfUUIDOnly, rootFirst, fullAfterFlood
    case diesOfLateness, sendsOnce, sendsTwelve, deafAfterNoServer, deafAfterNoLocation, silent, fetchesOnly, printsAll
    case readsEverything, configIgnored, targetCaseIgnored, takesOne
  }

  let defects: Set<Defect>
  private let target: String
  private var known: [(uuid: String, boot: String, location: String, config: String)] = []
  private var isDeaf = false
  private var fetchCount = 0
  private var redirectCount = 0
  private var lastSearch = Instant.zero
  private var refused: [String] = []
  private(set) var deadline: Instant?
  private(set) var end: ControlPointExamination.CommandEnd?
  var sent: [(bytes: [UInt8], from: Endpoint, to: Endpoint)] = []
  var printed: [String] = []
  var fetches: [String] = []

  init(_ defects: Set<Defect> = [], target: String = "urn:schemas-upnp-org:device:Basic:1") {
    (self.defects, self.target) = (defects, target)
  }

  private func has(_ defect: Defect) -> Bool { defects.contains(defect) }

  private mutating func search(at now: Instant) {
    let text =
      "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\nST: \(target)\r\n"
      + "USER-AGENT: toy/1 UPnP/1.1 toy/1\r\n\r\n"
    sent.append(
      (Array(text.utf8), Endpoint(Examined.control, port: 40_000), Endpoint(.ssdpGroup4, port: 1_900)))
    lastSearch = now
  }

  mutating func start(at now: Instant) {
    search(at: now)
    if has(.sendsTwelve) { for _ in 0..<11 { search(at: now) } }
    if !has(.sendsOnce) { deadline = now + .milliseconds(300) }
  }

  mutating func wake(at now: Instant) {
    deadline = nil
    search(at: now)
  }

  var takesHugePages: Bool { has(.readsEverything) }

  mutating func redirected(to location: String) {
    // For ever is longer than anybody may go on.
    redirectCount += 1
    if has(.redirectsForEver), redirectCount < 60 { fetch(location) }
  }

  private mutating func fetch(_ location: String) {
    guard let scheme = location.range(of: "://"), let slash = location[scheme.upperBound...].firstIndex(of: "/") else {
      return
    }
    fetchCount += 1
    if fetchCount < 2_000, !has(.silent) { fetches.append(String(location[slash...])) }
  }

  mutating func hear(_ bytes: [UInt8], from source: Endpoint, to destination: Endpoint, at now: Instant) {
    guard !isDeaf, end == nil else { return }
    let isAnswerSocket = destination.port == 40_000
    guard isAnswerSocket || destination.address.isMulticast else { return }
    if has(.diesOfLateness), isAnswerSocket, now > lastSearch + .seconds(2) { end = .signalled(11) }
    if has(.eightBitRefused), bytes.contains(where: { $0 >= 0x80 }) { return }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
    if has(.diesOfManyFields), lines.count > 1_000 { end = .signalled(6) }
    if has(.deafAfterLong), lines.contains(where: { $0.utf8.count > 10_000 }) { isDeaf = true }
    if has(.deafAfterNUL), bytes.contains(0) { isDeaf = true }
    guard let fields = fields(lines), takesStart(lines[0], isAnswerSocket, fields) else { return }
    if has(.deafAfterNoServer), fields.first("SERVER") == nil, fields.first("NTS") != "ssdp:byebye" { isDeaf = true }
    if has(.deafAfterNoLocation), fields.first("LOCATION") == nil, fields.first("NTS") != "ssdp:byebye" {
      isDeaf = true
    }
    take(fields)
  }

  private struct Fields {
    var all: [(name: String, value: String)] = []
    func first(_ name: String) -> String? { all.first { $0.name == name }?.value }
  }

  private mutating func fields(_ lines: [String]) -> Fields? {
    var fields = Fields()
    guard !lines.isEmpty else { return nil }
    for line in lines.dropFirst() {
      if line.hasPrefix(" "), !has(.foldedRead) { continue }
      guard let colon = line.firstIndex(of: ":") else {
        if has(.diesOfNoColon) { end = .signalled(11) }
        continue
      }
      var name = String(line[..<colon].drop { $0 == " " })
      if !has(.namesInOneCase) { name = name.uppercased() }
      let value = line[line.index(after: colon)...]
      if has(.blanksMatter), !value.hasPrefix(" "), !value.isEmpty { return nil }
      let known = ["HOST", "CACHE-CONTROL", "EXT", "LOCATION", "SERVER", "ST", "NT", "NTS", "USN", "DATE"]
      if has(.unknownFieldsRefused), !known.contains(name), !name.hasSuffix(".UPNP.ORG") { return nil }
      fields.all.append((name, ToyControlPoint.trimmed(value)))
    }
    if has(.orderMatters), fields.all.first?.name != "HOST", fields.all.first?.name != "CACHE-CONTROL" { return nil }
    return fields
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }

  private func takesStart(_ start: String, _ isAnswerSocket: Bool, _ fields: Fields) -> Bool {
    if has(.anyStart) { return true }
    if has(.answersOnly404), start == "HTTP/1.1 404 Not Found" { return true }
    if start == "HTTP/1.1 200 OK" {
      guard isAnswerSocket else { return false }
      let asked = fields.first("ST") ?? (has(.targetlessTaken) ? target : "")
      if has(.targetCaseIgnored), asked.lowercased() == target.lowercased() { return true }
      return asked == target || target == "ssdp:all"
    }
    guard start == "NOTIFY * HTTP/1.1" else { return false }
    return !has(.portDemanded) || fields.first("HOST") == "239.255.255.250:1900"
  }

  private mutating func take(_ fields: Fields) {
    if fields.first("ST") == nil, fields.first("NT") == nil, !has(.targetlessTaken) { return }
    var usn = fields.first("USN") ?? ""
    if usn.isEmpty {
      guard has(.namelessTaken) else { return }
      usn = "uuid:nobody"
    }
    var uuid = usn.hasPrefix("uuid:") ? String(usn.dropFirst(5)) : usn
    let suffix = uuid.range(of: "::").map { String(uuid[$0.upperBound...]) } ?? ""
    if let end = uuid.range(of: "::") { uuid = String(uuid[..<end.lowerBound]) }
    let spelled = uuid
    if !has(.halfCaseOfUUIDs) || fields.first("NTS") != "ssdp:byebye" { uuid = uuid.lowercased() }
    if has(.hexUUIDOnly), uuid.utf8.count != 36 { return }
    if has(.versionExact), let asked = fields.first("ST") ?? fields.first("NT"), !suffix.isEmpty, asked != suffix {
      return
    }
    if has(.versionExact), suffix.hasSuffix("Basic:2") { return }
    switch fields.first("NTS") ?? "ssdp:alive" {
    case "ssdp:byebye": byebye(uuid, spelled, suffix)
    case "ssdp:update": update(uuid, fields)
    case "ssdp:alive": alive(uuid, suffix, fields)
    default: break
    }
  }

  private mutating func alive(_ uuid: String, _ suffix: String, _ fields: Fields) {
    if has(.minorOneOnly), fields.first("SERVER")?.contains("UPnP/1.9") == true { return }
    if has(.takesOne), let first = known.first, first.uuid != uuid { return }
    if has(.directivesRefused), fields.first("CACHE-CONTROL")?.hasPrefix("max-age") != true { return }
    if has(.rootFirst), !known.contains(where: { $0.uuid == uuid }) {
      if suffix != "upnp:rootdevice" { refused.append(uuid) }
      if refused.contains(uuid) { return }
    }
    if has(.fullAfterFlood), known.count > 100 { return }
    var boot = fields.first("BOOTID.UPNP.ORG") ?? ""
    if !has(.zerosMatter) { boot = String(boot.drop { $0 == "0" }) }
    let config = fields.first("CONFIGID.UPNP.ORG") ?? ""
    let all = fields.all.filter { $0.name == "LOCATION" }.map(\.value)
    var location = all.first ?? ""
    if all.count > 1 {
      if has(.firstThenLast), fields.first("NTS") != nil { location = all.last ?? "" }
      if has(.bothLocations) { show("found \(uuid)::\(suffix) \(all.joined(separator: " "))") }
    }
    let isNear = location.hasPrefix("http://\(Examined.device)")
    if let place = known.firstIndex(where: { $0.uuid == uuid }) {
      if known[place].boot != boot || known[place].location != location {
        known[place].boot = boot
        known[place].location = location
        show("changed uuid:\(uuid)::\(suffix) \(location)")
      } else if known[place].config != config, !has(.configIgnored) {
        known[place].config = config
        fetch(location)
      } else if has(.printsAll) {
        show("seen uuid:\(uuid)::\(suffix)")
      }
      return
    }
    known.append((uuid, boot, location, config))
    show("found uuid:\(uuid)::\(suffix) \(isNear ? location : "")")
    if isNear || has(.followsAnything) { fetch(location) }
  }

  private mutating func show(_ line: String) {
    if !has(.silent), !has(.fetchesOnly) { printed.append(line) }
  }

  private mutating func byebye(_ uuid: String, _ spelled: String, _ suffix: String) {
    if has(.byebyeOfUUIDOnly), !suffix.isEmpty { return }
    guard let place = known.firstIndex(where: { $0.uuid == uuid }) else { return }
    known.remove(at: place)
    show("{\"event\":\"lost\",\"device\":\"uuid:\(uuid)\"}")
  }

  private mutating func update(_ uuid: String, _ fields: Fields) {
    guard let place = known.firstIndex(where: { $0.uuid == uuid }), let next = fields.first("NEXTBOOTID.UPNP.ORG")
    else {
      return
    }
    known[place].boot = next
  }
}

extension String {
  fileprivate func range(of text: String) -> Range<String.Index>? {
    var place = startIndex
    while place < endIndex {
      if self[place...].hasPrefix(text) { return place..<index(place, offsetBy: text.count) }
      place = index(after: place)
    }
    return nil
  }
}

extension Substring {
  fileprivate func hasPrefix(_ text: String) -> Bool { starts(with: text) }
}
