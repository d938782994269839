// Runs before anything is painted, so that no page flashes in the theme that its reader did not choose.
try {
  const chosen = JSON.parse(localStorage.getItem("wurf.theme"));
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // Where nothing may be kept, the system's theme stands.
}
