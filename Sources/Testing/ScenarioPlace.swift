import Foundation
import Rollcall

/// Where the scenario of a test is.
struct ScenarioPlace {
  var name: String
  /// `nil`: it has to be found.
  var folder: String?
  /// The file of the test.
  var filePath: String
  /// The target of the test.
  var module: String

  /// The folder of a bundle's resources.
  static func folder(of bundle: Bundle) -> String { (bundle.resourceURL ?? bundle.bundleURL).path }

  /// - Throws: `ScenarioError` with the folders that were looked at.
  func path() throws(ScenarioError) -> String {
    if name.hasPrefix("/") { return name }
    let folders = folder.map { [$0] } ?? found
    for folder in folders {
      for path in ["\(folder)/\(name)", "\(folder)/Scenarios/\(name)"] {
        if FileManager.default.fileExists(atPath: path) { return path }
      }
    }
    throw ScenarioError(
      description: "\(name): there is no such file in \(folders.joined(separator: ", ")), nor in Scenarios there")
  }

  /// The resources of the target, the folder of the test, and the working folder.
  private var found: [String] {
    resources + [URL(fileURLWithPath: filePath).deletingLastPathComponent().path]
      + [FileManager.default.currentDirectoryPath]
  }

  /// SwiftPM puts the resources of a target beside the program of the tests, in a bundle with the names of the package
  /// and the target.
  private var resources: [String] {
    let bundles = [Bundle.main] + Bundle.allBundles
    var folders: [URL] = []
    for bundle in bundles {
      let places = [bundle.bundleURL, bundle.resourceURL, bundle.bundleURL.deletingLastPathComponent()]
      for place in places.compactMap({ $0 }) where !folders.contains(place) { folders.append(place) }
    }
    return folders.flatMap { folder -> [String] in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      return names.filter { $0.hasSuffix("_\(module).resources") || $0.hasSuffix("_\(module).bundle") }.sorted()
        .map { name in
          let url = folder.appendingPathComponent(name)
          return Bundle(url: url).map(ScenarioPlace.folder(of:)) ?? url.path
        }
    }
  }
}
