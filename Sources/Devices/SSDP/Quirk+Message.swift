extension Quirk {
  /// Edits the form of one message; quirks of other places leave it as it is.
  func edit(_ draft: inout MessageDraft) {
    editLines(&draft)
    editFields(&draft)
    editLocation(&draft)
  }

  private func editLines(_ draft: inout MessageDraft) {
    switch self {
    case .noBlankLine: draft.blankLine = ""
    case .lfOnly: (draft.lineEnd, draft.blankLine) = ("\n", "\n")
    case .nulAfterBlankLine: draft.rest += "\0"
    case .lfInServer: draft.append(toServer: "\nFirmware 2.1")
    case .lineWithoutColon: draft.insert(.raw("this line has no colon", draft.lineEnd), before: "USN")
    case .lookalikeFields:
      draft.insert(MessageDraft.Field("LOCATIONX", "http://192.0.2.1/lookalike.xml"), before: "LOCATION")
      draft.insert(MessageDraft.Field("U", "uuid:00000000-0000-4000-8000-000000000000"), before: "USN")
      draft.insert(MessageDraft.Field("USN-OLD", "uuid:00000000-0000-4000-8000-000000000000"), before: "USN")
    case .truncated(let count): draft.byteCountMaximum = count
    case .contentLength: draft.append("Content-Length", "0")
    case .body:
      draft.append("Content-Length", "12")
      draft.rest += "<notify />\r\n"
    case .http10:
      draft.startLine = draft.kind == .response ? "HTTP/1.0 200 OK" : "NOTIFY * HTTP/1.0"
    case .lowerCaseMethod:
      draft.startLine = draft.kind == .response ? "http/1.1 200 ok" : "notify * HTTP/1.1"
    case .foldedField: draft.append(toServer: "\(draft.lineEnd) (folded)")
    case .duplicateServer:
      if draft.has("SERVER") { draft.append("SERVER", "Other/9.9 UPnP/1.0 Other/9.9") }
    case .ntsInResponse: if draft.kind == .response { draft.append("NTS", "ssdp:alive") }
    case .nonUTF8: draft.append(toServer: .hole(.notUTF8))
    case .manInNotify: if draft.kind != .response { draft.append("MAN", "\"ssdp:discover\"") }
    case .emptyFields:
      for index in draft.fields.indices where !draft.fields[index].isRaw { draft.fields[index].value = [.text("")] }
    case .titleCaseNames: draft.usesTitleCase = true
    case .noSpaceAfterColon: draft.separator = ":"
    case .trailingBlanks: draft.trailing = "  \t"
    default: break
    }
  }

  private func editFields(_ draft: inout MessageDraft) {
    switch self {
    case .maxAgeColon: draft.rewriteMaxAge { "max-age=:\($0)" }
    case .maxAgeSpaces: draft.rewriteMaxAge { "max-age = \($0)" }
    case .maxAgeQuoted: draft.rewriteMaxAge { "max-age=\"\($0)\"" }
    case .maxAgeExtraDirectives: draft.rewriteMaxAge { "no-cache=\"Ext\", max-age=\($0), must-revalidate" }
    case .maxAgeLeadingZero: draft.rewriteMaxAge { "max-age=0\($0)" }
    case .maxAgeNegative: draft.rewriteMaxAge { _ in "max-age=-1" }
    case .maxAgeTwentyDigits: draft.rewriteMaxAge { _ in "max-age=99999999999999999999" }
    case .noCacheControl: draft.remove("CACHE-CONTROL")
    case .noServer: draft.remove("SERVER")
    case .malformedServer: draft.set("SERVER", "Unspecified, UPnP/1.0, Unspecified")
    case .noHost: draft.remove("HOST")
    case .hostWithoutPort: draft.set("HOST", [.hole(.groupAddress)])
    case .noNTS: draft.remove("NTS")
    case .unknownNTS: draft.set("NTS", "ssdp:here")
    case .bareUUIDAsUSN:
      if draft.advert.kind == .device || draft.advert.kind == .service {
        draft.set("USN", [.text("uuid:"), .hole(.uuid)])
      }
    case .upperCaseUUIDScheme:
      for index in draft.fields.indices where draft.fields[index].value.first == .text("uuid:") {
        draft.fields[index].value[0] = .text("UUID:")
      }
    case .usnWithoutUUID: draft.set("USN", "urn:rollcall-example:unique:1")
    case .noUSN: draft.remove("USN")
    case .wrongSTEchoed: draft.set("ST", "upnp:rootdevice")
    case .stAndNtTogether:
      let target = MessageDraft.target(of: draft.advert, isEchoed: false)
      draft.insert(MessageDraft.Field(draft.kind == .response ? "NT" : "ST", target), before: "USN")
    case .noExt: draft.remove("EXT")
    case .noDate: draft.remove("DATE")
    case .badDate: draft.set("DATE", "1970-01-01 00:00:47")
    case .dateInNotify:
      if draft.kind != .response {
        draft.fields.append(MessageDraft.Field("DATE", [.hole(.date)]))
        draft.append("EXT", "")
      }
    case .hostInResponse:
      if draft.kind == .response { draft.fields.insert(MessageDraft.Field("HOST", "239.255.255.250:1900"), at: 0) }
    case .locationInByebye:
      if draft.kind == .byebye {
        draft.append("CACHE-CONTROL", "max-age=1800")
        draft.fields.append(MessageDraft.Field("LOCATION", draft.anyLocation))
        draft.append("SERVER", "Unspecified, UPnP/1.0, Unspecified")
      }
    case .bootIDMissingOnServices: if draft.advert.kind == .service { draft.removeBootID() }
    case .claims11WithoutBootID: draft.removeBootID()
    case .bootIDLeadingZeros: draft.set("BOOTID.UPNP.ORG", [.text("000"), .hole(.bootID)])
    case .bootIDNegative: draft.set("BOOTID.UPNP.ORG", [.text("-"), .hole(.bootID)])
    case .servesStaleBootID:
      if draft.kind == .response { draft.set("BOOTID.UPNP.ORG", [.hole(.staleBootID)]) }
    case .vendorFields:
      draft.append("X-User-Agent", "redsonic")
      draft.append("bridgeid", "0012FFFE345678")
    default: break
    }
  }

  private func editLocation(_ draft: inout MessageDraft) {
    switch self {
    case .locationEmpty: draft.set("LOCATION", "")
    case .locationRelative: draft.set("LOCATION", "/description.xml")
    case .locationEmptyPath:
      draft.set("LOCATION", [.text("http://"), .hole(.host), .text(":"), .hole(.port), .text("/")])
    case .locationEmptyHost: draft.set("LOCATION", [.text("http://:"), .hole(.port), .text("/description.xml")])
    case .locationNullHost: draft.set("LOCATION", [.text("http://(null):"), .hole(.port), .text("/description.xml")])
    case .locationBadPort: draft.set("LOCATION", [.text("http://"), .hole(.host), .text(":99999/description.xml")])
    case .locationZeroPort: draft.set("LOCATION", [.text("http://"), .hole(.host), .text(":0/description.xml")])
    case .locationBlank: draft.set("LOCATION", [.text("http:// "), .hole(.host), .text(" /description.xml")])
    case .locationLoopback: draft.set("LOCATION", "http://127.0.0.1:49152/description.xml")
    case .locationLinkLocal: draft.set("LOCATION", "http://169.254.99.1:49152/description.xml")
    case .locationOtherSubnet: draft.set("LOCATION", "http://172.17.0.2:49152/description.xml")
    // 203.0.113.0/24 belongs to nobody and is public in form.
    case .locationPublic: draft.set("LOCATION", "http://203.0.113.7/description.xml")
    case .locationBareIP: draft.set("LOCATION", [.hole(.host)])
    case .locationStar:
      if draft.has("LOCATION") {
        draft.fields.append(MessageDraft.Field("AL", draft.anyLocation))
        draft.set("LOCATION", "*")
      }
    case .noLocation: draft.remove("LOCATION")
    case .twoLocations:
      for index in draft.fields.indices where draft.fields[index].name == "LOCATION" {
        draft.fields[index].value = draft.fields[index].value.map { $0 == .hole(.port) ? .hole(.alternatePort) : $0 }
      }
    default: break
    }
  }
}

extension MessageDraft.Field {
  /// A line without a colon.
  static func raw(_ line: String, _ lineEnd: String) -> MessageDraft.Field {
    var field = MessageDraft.Field(line + lineEnd, [])
    field.isRaw = true
    return field
  }
}

extension MessageDraft {
  mutating func append(toServer text: String) { append(toServer: .text(text)) }
  mutating func append(toServer piece: Piece) {
    for index in fields.indices where fields[index].name == "SERVER" { fields[index].value.append(piece) }
  }

  /// Gives the lease another spelling; `spelling` is handed the seconds as they stand.
  mutating func rewriteMaxAge(_ spelling: (String) -> String) {
    for index in fields.indices where fields[index].name == "CACHE-CONTROL" {
      guard case .text(let text)? = fields[index].value.first else { continue }
      let digits = text.drop { !("0"..."9").contains($0) }.prefix { ("0"..."9").contains($0) }
      fields[index].value = [.text(spelling(String(digits)))]
    }
  }

  mutating func removeBootID() {
    for name in ["BOOTID.UPNP.ORG", "CONFIGID.UPNP.ORG", "NEXTBOOTID.UPNP.ORG"] { remove(name) }
  }

  /// The LOCATION of this message, or one in its form where it has none.
  var anyLocation: [Piece] {
    fields.first { $0.name == "LOCATION" }?.value
      ?? [.text("http://"), .hole(.host), .text(":"), .hole(.port), .text("/description.xml")]
  }
}
