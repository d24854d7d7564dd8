/** The number of files and sockets that this process may open; null if the platform does not tell. */
export function openFilesMax(): number | null {
  // Node 20 has the option; the published types do not. Otherwise the report looks up the names of all addresses.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { readonly userLimits?: { readonly open_files?: Limit } };
  const most = userLimits?.open_files?.soft;
  return typeof most === 'number' ? most : null;
}

type Limit = { readonly soft: number | 'unlimited' };
