import Foundation
import RollcallCapture
import RollcallPrimitives

/// A picture as one page of HTML that needs nothing else: it opens from a disk, asks no network, and shows its tables
/// without JavaScript as well.
///
/// Its policy allows the one script and the one style that it holds, by their digests, and no request at all.
package enum PictureHTML {
  package static func bytes(_ picture: Picture) -> [UInt8] {
    var data = Array("<script type=\"application/json\" id=\"picture\">".utf8)
    data += PictureJSON.bytes(picture)
    data += "</script>\n".utf8
    return page(
      picture.verb, picture.title, body: PictureTablesHTML.body(picture), data: data, script: PageScript.text)
  }

  /// The page of a campaign.
  package static func bytes(_ picture: CampaignPicture) -> [UInt8] {
    page(
      picture.verb, picture.title, body: CampaignTablesHTML.body(picture), data: [], script: PageScript.campaign)
  }

  private static func page(
    _ verb: String, _ title: String, body: String, data: [UInt8], script: String
  ) -> [UInt8] {
    var page = Array(head(verb, title, style: PageStyle.text, script: script).utf8)
    page += body.utf8
    page += data
    page += "<script>\(script)</script>\n</body>\n</html>\n".utf8
    return page
  }

  private static func head(_ verb: String, _ title: String, style: String, script: String) -> String {
    let policy =
      "default-src 'none'; style-src '\(digest(style))'; script-src '\(digest(script))'; base-uri 'none'; "
      + "form-action 'none'"
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(escaped(title)) – \(escaped(verb))</title>
      <style>\(style)</style>
      </head>
      <body>

      """
  }

  /// As a policy names a script or a style.
  private static func digest(_ text: String) -> String {
    let digest = Array(text.utf8).withUnsafeBytes { SHA256.digest(of: $0) }
    return "sha256-" + Data(digest).base64EncodedString()
  }

  /// Text as it stands between tags and in attributes with quotation marks.
  static func escaped(_ text: String) -> String {
    if !text.utf8.contains(where: { special.contains($0) }) { return text }
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private static let special = Array("&<>\"'".utf8)
}
