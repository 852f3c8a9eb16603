internal import JSON
internal import WebAddress

/// A step of a sign-on policy as PingOne's flows interface describes it.
struct PolicyStep: Sendable {
  /// What the flow waits for, `USERNAME_PASSWORD_REQUIRED` and so on.
  let status: String
  /// Where a completed flow goes on.
  let resume: WebURL?
  /// Where its actions go, by their names.
  let links: [String: WebURL]
  /// What comes with it: the user, the devices, and what is to be filled in.
  let embedded: JSON
  /// Why the flow failed.
  let error: JSON?
  /// The id of the device that is asked.
  let selectedDevice: String?
  /// The number that the person has to tell the device.
  let number: Int?

  /// Whether a response to an authorization request is a step of a policy, and no page of DaVinci.
  static func describes(_ json: JSON) -> Bool {
    json["status"]?.string != nil && (json["resumeUrl"] != nil || json["_links"]?["self"] != nil)
      && json["_links"]?["next"] == nil && json["connectorId"] == nil
  }

  /// Reads a step; throws if it is none, or leads to another origin by a way that can be taken.
  init(_ json: JSON, origin: Origin) throws(SignOnFailure) {
    guard let status = json["status"]?.string, status.utf8.count <= 64 else { throw .malformed }
    var links: [String: WebURL] = [:]
    for member in json["_links"]?.object?.members ?? [] {
      guard let text = member.value["href"]?.string else { continue }
      guard let url = WebURL(text), url.origin == origin else {
        // Where nobody goes from here may be anywhere, such as the registration at another provider.
        guard member.name != "self", !PolicyAction.all.contains(where: { $0.name == member.name }) else {
          throw .foreignLink
        }
        continue
      }
      links[member.name] = url
    }
    if let text = json["resumeUrl"]?.string {
      guard let url = WebURL(text), url.origin == origin else { throw .foreignLink }
      resume = url
    } else {
      resume = nil
    }
    (self.status, self.links) = (status, links)
    (embedded, error) = (json["_embedded"] ?? [:], json["error"])
    selectedDevice = (json["selectedDevice"] ?? embedded["selectedDevice"])?["id"]?.string
    number = json["numberMatching"]?["number"]?.int
  }

  /// Whether nothing more is asked.
  var isCompleted: Bool { status == "COMPLETED" }

  /// The id of the user who signs on, once they are known.
  var user: String? { embedded["user"]?["id"]?.string }
}
