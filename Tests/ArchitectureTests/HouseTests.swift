import Foundation
import RollcallExpectations
import Testing

/// The rules, applied to the repository as it is.
@Suite("The house") struct HouseTests {
  @Test("the table of rooms is read from the manifest")
  func tableIsRead() {
    #expect(House.rooms.count > 8)
    expectEqual(House.rooms.first, RoomRow(storey: 0, name: "Primitives", uses: [], guests: []))
    #expect(
      House.rooms.contains(
        RoomRow(storey: 2, name: "Capture", uses: ["Primitives", "Wire"], guests: ["RollcallPcap", "RollcallZlib"])))
    expectEqual(House.rooms.first { $0.name == "Scenarios" }?.guests, ["Yams"])
    #expect(House.sources.contains { $0.path == "Sources/Primitives/Machine/Machine.swift" })
  }

  @Test("the stairs go down only")
  func stairs() {
    for room in House.rooms {
      for used in room.uses {
        let below = House.rooms.first { $0.name == used }
        expectEqual(below.map { $0.storey < room.storey }, true, "\(room.name) uses \(used)")
      }
    }
  }

  @Test("every room imports what its row allows, pure rooms nothing of the system")
  func imports() {
    expectEqual(ImportRule.offences(in: House.sources, rooms: House.rooms), [])
  }

  @Test("pure rooms hold no clock, dice, task, thread, environment, file, output or libm")
  func purity() {
    let pure = House.rooms.filter(ImportRule.isPure).map(\.name)
    expectEqual(House.sources.filter { pure.contains($0.room) }.flatMap { PurityRule.offences(in: $0) }, [])
  }

  @Test("the files and names in the tables of steps and of means exist")
  func tours() {
    let sources = House.sources.map { (path: $0.path, words: Set($0.tokens.map(\.text))) }
    let page = House.text(of: "ARCHITECTURE.md")
    #expect(page.components(separatedBy: "| step | where |").count > 5)
    expectEqual(TourRule.offences(in: page, path: "ARCHITECTURE.md", sources: sources), [])
    let means = "docs/performance.md"
    expectEqual(TourRule.offences(in: House.text(of: means), path: means, sources: sources), [])
  }

  @Test("words of SSDP stand in folders of SSDP, but for a list of at most ten files that may only shrink")
  func protocols() {
    let found = House.sources.filter { !ProtocolRule.words(in: $0).isEmpty }.map(\.path)
    expectEqual(found.filter { !ProtocolRule.known.contains($0) }, [], "move what speaks of SSDP into a folder of it")
    expectEqual(ProtocolRule.known.filter { !found.contains($0) }.sorted(), [], "take these from the list")
    #expect(ProtocolRule.known.count <= ProtocolRule.knownMaximum)
  }

  @Test("one more report, act, inhabitant, signal or clause is an edit of four files at most beside its own")
  func drills() {
    func tokens(_ path: String) -> [Token] { House.sources.first { $0.path == path }?.tokens ?? [] }
    let (ports, scenarios) = ("Sources/Primitives/Ports/", "Sources/Scenarios/Sections/")
    for (name, path, home, count) in [
      ("Report", ports + "Application/Report.swift", ports, 7), ("Act", ports + "Application/Act.swift", ports, 10),
      ("HostSignal", ports + "Host.swift", ports, 4), ("Command", ports + "Application/Command.swift", ports, 6),
      ("InhabitantKind", scenarios + "InhabitantKind.swift", scenarios + "InhabitantKind.swift", 8),
    ] {
      let cases = DrillRule.cases(of: name, in: tokens(path))
      #expect(cases.count >= count, "\(name): \(cases)")
      let files = DrillRule.files(through: cases, home: home, in: House.sources)
      #expect(files.count <= 4, "\(name): \(files)")
    }
    // A clause: its row, its check, what can be done about it. The first and the last of these are names of fields as
    // well, and the second is found in three files of one family.
    let clauses = DrillRule.cases(of: "ClauseID", in: tokens("Sources/Conformance/Catalogue/ClauseID.swift"))
    #expect(clauses.count > 100)
    let judges = House.sources.filter { $0.room == "Conformance" && !$0.path.hasSuffix("/ClauseID.swift") }
    for clause in clauses where !["searchPort", "uuidUnique", "nameBytes"].contains(clause) {
      let files = judges.filter { file in
        file.tokens.indices.dropFirst().contains {
          file.tokens[$0].text == clause && file.tokens[$0 - 1].text == "."
        }
      }
      #expect(files.count <= 4, "\(clause): \(files.map(\.path))")
    }
  }

  @Test("each reason of a refusal is given by a reader or by the engine, so that a scenario can expect it")
  func reasons() {
    let path = "Sources/Primitives/Ports/Application/SSDP/RejectionReason.swift"
    let tokens = House.sources.first { $0.path == path }?.tokens ?? []
    let reasons = DrillRule.cases(of: "RejectionReason", in: tokens)
    #expect(reasons.count > 30)
    let givers = House.sources.filter { $0.room == "Discovery" || $0.path.hasPrefix("Sources/Wire/SSDP/") }
    var named: Set<String> = []
    for file in givers {
      for place in file.tokens.indices.dropFirst() where file.tokens[place - 1].text == "." {
        named.insert(String(file.tokens[place].text))
      }
    }
    expectEqual(reasons.filter { !named.contains($0) }, [])
  }

  @Test("of two folders of a room one may use the other, never both; what is a tool joins all")
  func folders() {
    let tools = House.rooms.filter { $0.storey == 11 }.map(\.name)
    let rooms = Dictionary(grouping: House.sources) { $0.room }.sorted { $0.key < $1.key }
    #expect(rooms.count > 15 && tools.count == 5)
    expectEqual(rooms.filter { !tools.contains($0.key) }.flatMap { FolderRule.offences(in: $0.value) }, [])
  }

  @Test("the module Rollcall shows at most forty names, those that it re-exports among them, and no module as a whole")
  func facade() {
    let names = FacadeRule.names(in: House.sources.filter { $0.room == "Facade" })
    #expect(names.count <= FacadeRule.namesMaximum && !names.contains { $0.hasPrefix("*") }, "\(names)")
    #expect(Set(names).isSuperset(of: ["Scenario", "Capture", "Machine", "ScenarioRecord", "JudgeFinding"]))
    let page = House.text(of: "docs/packages.md")
    expectEqual(names.filter { !page.contains("`\($0)`") }, [], "docs/packages.md has a word on each")
  }

  @Test("nobody iterates a Dictionary or a Set in its own order")
  func order() {
    expectEqual(House.sources.flatMap { OrderRule.offences(in: $0) }, [])
  }

  @Test("no source file is longer than 500 lines")
  func length() {
    let long = House.sources.compactMap { file in
      RepositoryRules.lengthOffence(path: file.path, text: file.lines.joined(separator: "\n"))
    }
    expectEqual(long, [])
  }

  @Test("links of pages lead to files and headings that are there")
  func links() {
    let top = (try? FileManager.default.contentsOfDirectory(atPath: House.root.path)) ?? []
    let pages = top.filter { $0.hasSuffix(".md") }.sorted() + House.files(below: "docs", ending: ".md")
    #expect(pages.count > 30)
    let offences = pages.flatMap { path in
      LinkRule.offences(path: path, page: House.text(of: path)) { target in
        FileManager.default.fileExists(atPath: House.root.appendingPathComponent(target).path)
          ? House.text(of: target) : nil
      }
    }
    expectEqual(offences, [])
  }

  @Test("no file names the machine or the place where it was written")
  func words() {
    let top = (try? FileManager.default.contentsOfDirectory(atPath: House.root.path)) ?? []
    let single = ["Package.swift", "Makefile", "LICENSE", ".gitignore", ".swift-format"]
    var paths = top.filter { $0.hasSuffix(".md") || single.contains($0) }.sorted()
    for folder in ["Plugins", "Sources", "Tests", "Examples", "Scenarios", "Captures", ".ci"] {
      paths += House.files(below: folder)
    }
    var offences: [Offence] = []
    for path in paths {
      guard let data = try? Data(contentsOf: House.root.appendingPathComponent(path)), !data.prefix(4096).contains(0),
        let text = String(data: data, encoding: .utf8)
      else { continue }
      offences += RepositoryRules.wordOffences(path: path, text: text)
    }
    #expect(paths.count > 40)
    expectEqual(offences, [])
  }
}
