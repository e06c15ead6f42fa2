/** The devices that advice can be given for, as `advisor devices --format json` prints them. */

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly detail: string;
}

/** The devices in an output; throws an Error when it is of another form. */
export function readDevices(output: string): Device[] {
  const told = JSON.parse(output) as { devices?: unknown };
  if (!Array.isArray(told.devices)) {
    throw new Error("the list of devices has an unknown form");
  }
  return told.devices.map(readDevice);
}

function readDevice(told: Record<string, unknown>): Device {
  const { id, name } = told;
  if (typeof id !== "string" || typeof name !== "string") {
    throw new Error("a device has no id or no name");
  }
  return { id, name, detail: detail(told) };
}

function detail(told: Record<string, unknown>): string {
  const parts: string[] = [];
  if (typeof told["compute_capability"] === "string") {
    parts.push(`compute capability ${told["compute_capability"]}`);
  }
  if (typeof told["sm_count"] === "number") {
    parts.push(`${told["sm_count"]} SMs`);
  }
  return parts.join(", ");
}
