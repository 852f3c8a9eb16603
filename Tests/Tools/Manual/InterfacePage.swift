internal import ControlAPI
internal import JSONRPC

extension ManualPage {
  /// The page of the control interface, from the table of its methods.
  static func interface(_ edition: Edition) -> ManualPage {
    var page = ManualPage("mfad-api", 7, "the control interface of mfad", edition)
    page.heading("DESCRIPTION")
    page.paragraphs(
      """
      JSON-RPC 2.0 on a Unix stream socket: one message per line, in UTF-8, with named parameters. The kernel
      identifies the connected user. Each user has a separate authenticator.

      Each method has a class: read and use are for every user that may connect; answer and admin change data;
      service is for root and the user that runs mfad. Parameters with a question mark are optional. rpc.discover
      returns this description as an OpenRPC document, with the schema of each result.

      "authctl rpc METHOD JSON" calls a method.
      """
    )
    page.heading("METHODS")
    for method in MethodTable.all { page.add(method) }
    page.heading("ERRORS")
    for error in RPCError.documented {
      page.item(
        "\(error.code) \(error.reason)",
        error.hint.map { "\(error.message); \($0)" } ?? error.message
      )
    }
    page.seeAlso(("authctl", 1), ("mfad", 8))
    return page
  }

  private mutating func add(_ method: any ControlMethod.Type) {
    subheading(method.name)
    paragraphs("Class \(method.access.rawValue): \(method.summary).")
    for property in method.properties {
      item(
        property.isRequired ? property.name : "\(property.name)?",
        "\(property.meaning): \(property.schema.words)"
      )
    }
    let errors = method.errors.map(\.reason)
    if !errors.isEmpty { paragraphs("Errors: \(errors.joined(separator: ", ")).") }
  }
}
