import RollcallDiscovery

/// Search targets that a person typed, refused before anything is sent where nothing could answer them.
enum TargetOptions {
  private static let bytesMaximum = 256

  /// What `discover` searches for, by the rules of the engine that would refuse it later.
  static func check(_ targets: [String], waitSeconds: Int, broadcasts: Int) throws {
    try Numbers.check(waitSeconds, 1...5, "--mx")
    try Numbers.check(broadcasts, 1...10, "--broadcasts")
    let most = EngineConfiguration().limits.searchesOpen
    if targets.count > most {
      throw Complaint("--search may be repeated up to \(most) times, and these are \(targets.count)")
    }
    for target in targets { try check(target, option: "--search") }
  }

  /// - Throws: a complaint that names the option, where no device could have such a target.
  static func check(_ target: String, option: String) throws {
    guard let fault = fault(of: target) else { return }
    throw Complaint("\(option) '\(target)': \(fault)")
  }

  /// The UUID of a device, with or without `uuid:`.
  static func checkUUID(_ text: String, option: String) throws {
    let uuid = text.lowercased().hasPrefix("uuid:") ? String(text.dropFirst(5)) : text
    guard let fault = plainFault(of: uuid) ?? (uuid.contains("::") ? "a USN has more than the UUID in it" : nil) else {
      return
    }
    throw Complaint("\(option) takes the UUID of a device, and not '\(text)': \(fault)")
  }

  /// UDA 2.0 §1.3.2 has five forms; types of vendors take many (D24, D34), and those are let through.
  private static func fault(of target: String) -> String? {
    if target.isEmpty { return "a target is needed; ssdp:all asks for everything" }
    if let fault = plainFault(of: target) { return fault }
    let parts = target.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 1 || parts[0].isEmpty {
      return "a target begins with its kind and a colon, as in upnp:rootdevice, uuid:... or urn:..."
    }
    if parts.last?.isEmpty == true { return "there is nothing behind the last colon" }
    switch parts[0].lowercased() {
    case "ssdp" where target != "ssdp:all": return "of this kind there is ssdp:all alone"
    case "upnp" where target != "upnp:rootdevice": return "of this kind there is upnp:rootdevice alone"
    case "urn" where parts[1] == "schemas-upnp-org":
      let isType = parts.count == 5 && !parts.contains("") && (parts[2] == "device" || parts[2] == "service")
      if isType { return nil }
      return "a type has five parts, as in urn:schemas-upnp-org:device:MediaServer:1, the last of them its version"
    default: return nil
    }
  }

  private static func plainFault(of text: String) -> String? {
    if text.isEmpty { return "there is nothing in it" }
    if text.utf8.count > bytesMaximum { return "at most \(bytesMaximum) bytes are sent" }
    if text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) { return nil }
    return "only plain characters without blanks can be sent"
  }
}
