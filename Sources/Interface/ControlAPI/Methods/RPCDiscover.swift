package struct RPCDiscover: ControlMethod {
  package static let name = "rpc.discover"
  package static let access = AccessClass.read
  package static let summary = "describes the methods that the caller may call"
  package static let parameters = Shape(RPCDiscover.init)

  /// An OpenRPC document as it is sent.
  package typealias Answer = RawJSON

  package init() {}
}
