/// The program of a page: plain JavaScript without a library, in pieces that are one script.
///
/// Whatever comes from a capture reaches the page as text (`textContent`, text on a canvas) and never as markup; a test
/// looks for every other way. Names of kinds and states are those of `Picture`.
enum PageScript {
  static let text = [theme, data, axis, panes, lanes, devices, detail, pointer, keys].joined(separator: "\n\n")
}
