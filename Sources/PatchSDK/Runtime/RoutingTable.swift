/// Which functions the active module serves.
final class RoutingTable: Sendable {
    func invoke<Result>(
        _ function: UInt64, _ arguments: (inout PatchArguments) -> Void,
        _ result: (inout PatchResult) throws -> Result
    ) -> Result? { nil }
}
