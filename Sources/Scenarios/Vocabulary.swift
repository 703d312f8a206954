import RollcallDevices
import RollcallDiscovery
import RollcallPrimitives
import RollcallSessions
import RollcallWire

// The words that other rooms own: profiles, faults and switches of the engine. Those of quirks: Vocabulary+Quirk.swift.

extension Form<Bite> {
  static let bite = Form(
    schema: Schema(.members(("type", .string("string")), ("pattern", .string(#"^[A-Za-z][A-Za-z0-9_-]*\..+$"#)))),
    read: { tree, reader in
      guard let text = tree.text, let dot = text.firstIndex(of: ".") else {
        reader.wrongKind(tree, expected: "engine.<switch>, manager.<profile>, peers.<fault> or <inhabitant>.<quirk>")
        return nil
      }
      let (who, what) = (String(text[..<dot]), String(text[text.index(after: dot)...]))
      if who == "engine" {
        if let word = EngineSwitch.allCases.first(where: { $0.rawValue == what }) { return .engine(word) }
        let names = EngineSwitch.allCases.map(\.rawValue)
        reader.complain("unknown switch '\(shortened(what))'" + suggestion(for: what, of: names), at: tree.mark)
        return nil
      }
      if who == "manager", let profile = ManagerProfile(rawValue: what) { return .manager(profile) }
      if who == "peers" {
        if let word = PeerFault(rawValue: what) { return .peers(word) }
        let names = PeerFault.allCases.map(\.rawValue)
        reader.complain("unknown fault '\(shortened(what))'" + suggestion(for: what, of: names), at: tree.mark)
        return nil
      }
      if let quirk = MDNSQuirk(rawValue: what) { return .responder(who, quirk) }
      switch Vocabulary.quirk(what) {
      case .success(let quirk): return .inhabitant(who, quirk)
      case .failure(let problem):
        reader.complain(problem.message, at: tree.mark)
        return nil
      }
    },
    write: { bite, _ in
      switch bite {
      case .engine(let word): .scalar("engine.\(word.rawValue)")
      case .manager(let profile): .scalar("manager.\(profile.rawValue)")
      case .peers(let word): .scalar("peers.\(word.rawValue)")
      case .inhabitant(let name, let quirk): .scalar("\(name).\(Vocabulary.text(of: quirk))")
      case .responder(let name, let quirk): .scalar("\(name).\(quirk.rawValue)")
      }
    })
}

/// The words that are read apart from their forms.
package enum Vocabulary {
  struct Problem: Error { var message: String }
}

extension Form<Profile> {
  static let profile = Form.kebab("a profile")
}
