import JSON
import WebAddress

extension Application: Recorded {
  static let kind = "application"

  var record: JSON {
    .present([
      ("id", .id(id)), ("name", .string(name)), ("bundleId", bundleID.map { .string($0) }),
      ("packageName", packageName.map { .string($0) }), ("createdAt", .instant(createdAt)),
      ("updatedAt", .instant(updatedAt)), ("mobile", settings.json), ("requirements", requirements.json),
      ("redirectUris", .strings(redirectURIs.map(\.text))),
    ])
  }

  init?(_ record: Record) {
    guard let id = record.id("id", of: Application.self), let name = record.text("name"),
      let createdAt = record.time("createdAt"), let updatedAt = record.time("updatedAt"),
      let mobile = record.record("mobile"), let requirements = record.record("requirements")
    else { return nil }
    self.init(
      id: id,
      name: name,
      bundleID: record.text("bundleId"),
      packageName: record.text("packageName"),
      createdAt: createdAt,
      updatedAt: updatedAt
    )
    redirectURIs = record.texts("redirectUris").compactMap { WebURL($0) }
    do {
      try settings.update(from: Members(mobile.members))
      self.requirements = try DeviceRequirements(Members(requirements.members))
    } catch { return nil }
  }
}
