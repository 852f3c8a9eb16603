struct FlowFileError: Error, CustomStringConvertible {
  let file: String
  /// Where in the file, by the names of members: `pages.sign-on.answers[0].when`.
  let place: String
  let reason: String

  var description: String { place.isEmpty ? "\(file): \(reason)" : "\(file): \(place): \(reason)" }
}
