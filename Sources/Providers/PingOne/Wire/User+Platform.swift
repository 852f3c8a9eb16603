package import ControlAPI
package import JSON
internal import Text

extension User {
  /// A user as a platform or a token describes them, in either of the shapes that PingOne uses.
  ///
  /// The id must be one that can stand in a path; texts are made fit to be shown.
  package init?(platform json: JSON) {
    guard let id = json["id"]?.string ?? json["userId"]?.string, id.isIdentifier else { return nil }
    let name = json["name"] ?? json
    let clean = { (text: String?) in text.map { DisplayText.clean($0) }.flatMap { $0.isEmpty ? nil : $0 } }
    self.init(
      id: id,
      username: clean(json["username"]?.string),
      email: clean(json["email"]?.string),
      given: clean(name["given"]?.string),
      family: clean(name["family"]?.string)
    )
  }
}
