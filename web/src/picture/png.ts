/** The picture as a PNG, drawn by the browser from its SVG. */

import { sizeOf, svgOf, type Told } from "./svg";
import type { Placed } from "./usePlaces";

const SCALE = 2;
const MOST_PIXELS = 12_000;

export async function pngOf(placed: Placed, told: Told): Promise<Blob> {
  const { width, height } = sizeOf(placed, told);
  const scale = Math.min(SCALE, MOST_PIXELS / width, MOST_PIXELS / height);
  const address = URL.createObjectURL(new Blob([svgOf(placed, told)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(width * scale);
    canvas.height = Math.ceil(height * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large for a PNG"))),
        "image/png",
      );
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}
