import Foundation
import PackagePlugin

/// Binds GCD's names to RingDispatch's types in every file of a target, without changes to its
/// sources.
///
/// The names are public, and RingDispatch is re-exported, so that public signatures may use them.
/// `UseRingDispatchInternally` keeps them internal.
@main
struct UseRingDispatch: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let file = context.pluginWorkDirectoryURL.appending(path: "RingDispatchNames.swift")
        return [
            .buildCommand(
                displayName: "Generating RingDispatch names for \(target.name)",
                executable: try context.tool(named: "generate-dispatch-names").url,
                arguments: ["public", file.path], outputFiles: [file])
        ]
    }
}
