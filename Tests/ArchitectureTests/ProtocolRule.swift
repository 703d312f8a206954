import Synchronization

/// The words of one protocol stand in its own folders: `SSDP` and `UPnP`.
///
/// Words are those of code; comments and the text of string literals are for people and may say what they like.
enum ProtocolRule {
  static let folders: Set<String> = ["SSDP", "UPnP"]

  /// Parts of names that only SSDP has, as the standard spells them and as Swift begins a name with them.
  static let parts = [
    "SSDP", "ssdp", "USN", "UPnP", "upnp", "byebye", "Byebye", "bootID", "BootID", "configID", "ConfigID",
    "searchTarget", "SearchTarget", "rootDevice", "RootDevice", "notifyAlive", "notifyUpdate",
  ]
  /// What is a word of SSDP only at the start of a name, or at its end.
  static let starts = ["usn"]
  static let ends = ["NTS", "MX"]
  static let wholes = ["mx"]

  static func isOfSSDP(_ word: String) -> Bool {
    wholes.contains(word) || starts.contains { word.hasPrefix($0) } || ends.contains { word.hasSuffix($0) }
      || parts.contains { word.contains($0) }
  }

  /// The same words stand in hundreds of files.
  private static let answers = Mutex<[String: Bool]>([:])
  private static func isKnownOfSSDP(_ word: String) -> Bool {
    answers.withLock { answers in
      if let answer = answers[word] { return answer }
      let answer = isOfSSDP(word)
      answers[word] = answer
      return answer
    }
  }

  /// - Returns: the words of SSDP in a file outside its folders, each once, sorted.
  static func words(in file: SourceFile) -> [String] {
    guard !file.path.split(separator: "/").dropLast().contains(where: { folders.contains(String($0)) }) else {
      return []
    }
    return Set(file.tokens.map(\.text)).filter(isKnownOfSSDP).sorted()
  }

  /// How long `known` may be.
  static let knownMaximum = 10

  /// Files of all protocols that name one: the roots, where protocols are joined. The list may only shrink: a file that
  /// needs its place no more is an offence as well, and so is a new one.
  static let known: Set<String> = [
    "Sources/Conformance/Catalogue/Catalogue.swift",
    "Sources/Conformance/Catalogue/ClauseID.swift",
    "Sources/Conformance/ClauseJudge.swift",
    "Sources/Discovery/Engine/DiscoveryEngine.swift",
    "Sources/Primitives/Ports/Application/Device+Codec.swift",
    "Sources/Primitives/Ports/Application/Device.swift",
    "Sources/Reporting/Lines/ReportLine.swift",
    "Sources/Running/Stage.swift",
    "Sources/Scenarios/Resolution/ResolvedInhabitant.swift",
    "Sources/Scenarios/Sections/InhabitantKind.swift",
  ]
}
