internal import ControlAPI
internal import Usage

/// What `rpc.discover` tells, written when it is first asked for.
enum Discovery {
  /// The document of the methods that a caller may call.
  static func document(for caller: Caller) -> RawJSON { caller.mayServe ? whole : personal }

  private static let whole = document(of: MethodTable.all)
  private static let personal = document(of: MethodTable.all.filter { $0.access != .service })

  private static func document(of methods: [any ControlMethod.Type]) -> RawJSON {
    OpenRPC.document(of: methods, version: Version.text)
  }
}
