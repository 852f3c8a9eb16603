internal import JSON

extension Prompt {
  /// A picture: what it shows and where it lies.
  static let image = Prompt(
    notices: { field in
      let description = [field.raw("description"), field.json["label"]].compactMap { $0?.string }.first {
        !$0.isEmpty
      }
      let address = [field.raw("imageUrl"), field.json["value"]].compactMap { $0?.string }.first {
        !$0.isEmpty
      }
      let link = field.raw("hyperlinkUrl")?.string.map { ", links to \($0)" as SafeText } ?? ""
      // A picture that lies in the text itself cannot be looked at here.
      let place = address.flatMap { $0.hasPrefix("data:") ? nil : ", at \($0)" as SafeText } ?? ""
      guard description != nil || address != nil else { return [] }
      return [
        .text("[picture\(description.map { ": \(Markup.line($0))" as SafeText } ?? "")\(place)\(link)]")
      ]
    }
  )
}
