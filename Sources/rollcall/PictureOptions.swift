import ArgumentParser
import RollcallPicturing
import RollcallReporting

/// Where a picture of what a verb did goes.
struct PictureOptions: ParsableArguments {
  @Option(
    help: "Write a picture to this file: a page that any browser opens, without a network (docs/pictures.md).",
    completion: .file())
  var html: String?

  /// The outputs of a verb, with that of the picture.
  func outputs(beside others: [OutputClash.Named]) -> [OutputClash.Named] {
    var all = others
    all.append((option: "--html", path: html))
    return all
  }

  /// Refuses an input that can be read only once, since a picture reads it again.
  func check(_ inputs: [String]) throws {
    guard html != nil, let input = inputs.first(where: { !InputFiles.isRepeatable($0) }) else { return }
    let name = input == InputFiles.standardInput ? "standard input" : input
    throw Complaint("--html reads its input more than once, and \(name) can be read only once: name a file")
  }

  /// Writes the picture, where one is wanted; it is not made before the file is known to take it.
  func write(_ picture: () throws -> Picture) throws {
    guard let file = try open() else { return }
    try file.write(try picture())
  }

  /// Opens the file, for a verb that takes a while; `nil`: no picture is wanted.
  func open() throws -> PictureFile? { try html.map { PictureFile(output: try Output(path: $0)) } }
}

/// A file that takes one picture.
struct PictureFile {
  let output: Output

  func write(_ picture: Picture) throws {
    output.bytes(PictureHTML.bytes(picture))
    try output.finish()
  }
}
